"""A trigger's own page: its rule, its next times, its fires, and what can be done with it."""

from __future__ import annotations

import re

from playwright.async_api import expect
from tests.waiting import until
from tests.web.dash import Dash


async def test_it_says_its_rule_and_its_next_ten_times(dash: Dash) -> None:
    trigger_id = await dash.trigger(timezone="America/New_York", starts_at="2030-03-08T00:00:00Z")
    await dash.open(f"/triggers/{trigger_id}")
    await expect(dash.page.get_by_text("Every day at 02:30")).to_be_visible()
    times = dash.page.get_by_role("region", name="Next ten").get_by_role("listitem")
    await expect(times).to_have_count(10)
    await expect(times.nth(2)).to_contain_text("Sun 10 Mar")
    await expect(times.nth(2)).to_contain_text("Clocks go forward: moved from 02:30 to 03:00.")


async def test_fires_show_jobs_and_skips_with_reasons_and_are_paged(dash: Dash) -> None:
    trigger_id = await dash.trigger(every_seconds=3600, starts_at="2030-01-01T00:00:00Z")
    await dash.open(f"/triggers/{trigger_id}")
    await expect(dash.page.get_by_role("heading", name="Nothing has been due yet")).to_be_visible()
    await dash.api.post(f"/jobs/triggers/{trigger_id}/skip-next")
    stretch = {"from": "2030-02-01T00:00:00Z", "until": "2030-02-02T12:00:00Z"}
    await dash.api.post(f"/jobs/triggers/{trigger_id}/backfill", json=stretch)
    await dash.page.reload()
    lines = dash.page.get_by_role("region", name="Fires").last.locator("tbody tr")
    await expect(lines).to_have_count(25)
    await expect(lines.first).to_contain_text("backfill")
    await dash.button("Older").click()
    await expect(lines).to_have_count(38)
    await expect(lines.last).to_contain_text("an operator skipped it")
    await expect(dash.button("Older")).to_have_count(0)
    await lines.first.get_by_role("link").click()
    await expect(dash.page.get_by_role("heading", name="greet")).to_be_visible()


async def test_an_event_trigger_shows_its_deliveries(dash: Dash) -> None:
    rule = {"trigger_type": "event", "event": "user.created", "condition": "event.size > `1`"}
    trigger_id = await dash.trigger("on event", **rule, payload={"name": "{{event.size}}"})
    await dash.open(f"/triggers/{trigger_id}")
    await expect(dash.page.get_by_role("heading", name="No event yet")).to_be_visible()
    await expect(dash.button("Run now")).to_have_count(0)
    await dash.api.post("/events", json={"name": "user.created", "data": {"size": 1}})
    lines = dash.page.get_by_role("region", name="Deliveries").last.locator("tbody tr")

    async def delivered() -> bool:
        return bool((await dash.api.get(f"/jobs/triggers/{trigger_id}/deliveries")).json()["items"])

    await until("the event is delivered", delivered)
    await dash.page.reload()
    await expect(lines.first).to_contain_text("the condition does not hold")


async def test_a_backfill_is_counted_made_and_followed(dash: Dash) -> None:
    trigger_id = await dash.trigger(every_seconds=3600, starts_at="2020-01-01T00:00:00Z")
    await dash.open(f"/triggers/{trigger_id}")
    await dash.button("Actions").click()
    await dash.page.get_by_role("menuitem", name="Backfill").click()
    await dash.page.get_by_label("From").fill("2020-02-01T00:00")
    await dash.page.get_by_label("Until").fill("2020-02-01T02:30")
    await expect(dash.page.get_by_text("3 due times, from Sat 1 Feb 00:00 to Sat 1 Feb 02:00 UTC.")).to_be_visible()
    await dash.button("Enqueue 3 jobs").click()
    await expect(dash.page.get_by_text("3 jobs enqueued, 3 ended.")).to_be_visible()
    await dash.page.get_by_role("link", name="See the jobs").click()
    await expect(dash.page.locator("tbody tr")).to_have_count(3)


async def test_it_is_deleted_only_by_its_name(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open(f"/triggers/{trigger_id}")
    await dash.button("Actions").click()
    await dash.page.get_by_role("menuitem", name="Delete").click()
    delete = dash.button("Delete trigger")
    await expect(delete).to_be_disabled()
    await dash.page.get_by_label("Type nightly to continue").fill("nightly")
    await delete.click()
    await expect(dash.page.get_by_role("heading", name="No triggers yet")).to_be_visible()
    assert (await dash.api.get(f"/jobs/triggers/{trigger_id}")).status_code == 404


async def test_it_is_paused_with_a_note_and_turned_on_again(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open(f"/triggers/{trigger_id}")
    await dash.button("Actions").click()
    await dash.page.get_by_role("menuitem", name="Pause with a note").click()
    await dash.page.get_by_label("Reason, for others").fill("billing migration")
    await dash.button("Pause").click()
    await expect(dash.page.get_by_text("Paused: billing migration")).to_be_visible()
    await dash.page.get_by_role("switch", name="nightly enabled").click()
    await expect(dash.page.get_by_text("Paused: billing migration")).to_have_count(0)


async def test_one_that_is_not_there_says_so(dash: Dash) -> None:
    await dash.open("/triggers/01900000-0000-7000-8000-000000000000")
    await expect(dash.page.get_by_role("alert")).to_contain_text("This trigger does not exist")


async def test_a_key_runs_it_now(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open(f"/triggers/{trigger_id}")
    await expect(dash.button("Run now")).to_be_visible()
    await dash.page.keyboard.press("r")
    await expect(dash.page.get_by_text(re.compile("Enqueued greet"))).to_be_visible()
