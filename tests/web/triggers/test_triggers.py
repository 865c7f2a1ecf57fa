"""The table of triggers and the calendar: in every state, filtered, switched, run."""

from __future__ import annotations

import re

from playwright.async_api import Browser, Locator, expect
from tests.waiting import until
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer

OVERVIEW = "**/api/v1/jobs/triggers/overview*"
ON_EVENT = {"trigger_type": "event", "event": "user.created"}


def row(dash: Dash, name: str) -> Locator:
    """Its row in the table."""
    return dash.page.locator(f'tr[data-trigger="{name}"]')


async def fired(dash: Dash, trigger_id: str) -> str:
    """A job that it made, by hand."""
    job_id: str = (await dash.api.post(f"/jobs/triggers/{trigger_id}/fire")).json()["job_id"]
    return job_id


async def test_a_row_says_when_it_fires_and_how_it_has_been_doing(dash: Dash) -> None:
    nightly = await dash.trigger(timezone="America/New_York")
    failing = await dash.trigger("failing", "fail", every_seconds=86_400)
    await dash.trigger("on event", **ON_EVENT)
    for trigger_id, status in ((nightly, "succeeded"), (failing, "failed")):
        await dash.until(await fired(dash, trigger_id), status)
    await dash.open("/triggers")

    await expect(row(dash, "nightly")).to_contain_text("Every day at 02:30")
    await expect(row(dash, "nightly")).to_contain_text("America/New_York")
    await expect(row(dash, "nightly").get_by_role("img", name="1 of 1 succeeded")).to_be_visible()
    await expect(row(dash, "failing")).to_contain_text("Every day")
    await expect(row(dash, "failing").get_by_role("img", name=re.compile("failed"))).to_be_visible()
    await expect(row(dash, "on event")).to_contain_text("When user.created")
    await expect(dash.page.get_by_text("3 triggers")).to_be_visible()


async def test_before_the_first_trigger_it_says_what_one_is(dash: Dash) -> None:
    await dash.open("/triggers")
    await expect(dash.page.get_by_role("heading", name="No triggers yet")).to_be_visible()
    await expect(dash.page.get_by_text("No schedule is due in this time.")).to_be_visible()


async def test_type_and_definition_stay_in_the_address(dash: Dash) -> None:
    await dash.trigger()
    await dash.trigger("talks", "talk")
    await dash.trigger("on event", **ON_EVENT)
    await dash.open("/triggers")
    await dash.page.get_by_role("link", name="Schedules").click()
    await expect(row(dash, "on event")).to_have_count(0)
    await dash.page.get_by_label("Definition").select_option("talk")
    await expect(row(dash, "nightly")).to_have_count(0)
    await dash.address_has("type=schedule", "definition=talk")
    await dash.page.reload()
    await expect(row(dash, "talks")).to_be_visible()
    await dash.page.get_by_role("link", name="Once").click()
    await expect(dash.page.get_by_role("heading", name="No trigger matches")).to_be_visible()


async def test_a_switch_turns_it_off_and_on(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open("/triggers")
    switch = dash.page.get_by_role("switch", name="nightly enabled")
    await switch.click()
    await expect(row(dash, "nightly")).to_contain_text("paused")
    await expect(dash.page.get_by_text("1 trigger, 1 paused")).to_be_visible()

    async def is_off() -> bool:
        return not (await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()["enabled"]

    await until("it is off", is_off)
    await dash.page.reload()
    await expect(switch).not_to_be_checked()
    await switch.click()
    await expect(row(dash, "nightly")).to_contain_text("in ")

    async def is_on() -> bool:
        return bool((await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()["enabled"])

    await until("it is on", is_on)


async def test_a_switch_that_is_refused_goes_back_and_says_why(dash: Dash) -> None:
    await dash.trigger()
    await dash.refuse("**/disable", 409, "somebody else changes it")
    await dash.open("/triggers")
    switch = dash.page.get_by_role("switch", name="nightly enabled")
    await switch.click()
    await expect(dash.page.get_by_text("Not turned off. somebody else changes it")).to_be_visible()
    await expect(switch).to_be_checked()


async def test_it_is_run_skipped_and_paused_from_its_row(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open("/triggers")
    await dash.button("Run now: nightly").click()
    await expect(dash.page.get_by_text(re.compile("Enqueued greet"))).to_be_visible()

    await dash.button("Actions for nightly").click()
    await dash.page.get_by_role("menuitem", name="Skip the next").click()
    await expect(dash.page.get_by_text(re.compile("nightly will let .* pass"))).to_be_visible()
    await expect(row(dash, "nightly")).to_contain_text("1 skipped")

    await dash.button("Actions for nightly").click()
    await dash.page.get_by_role("menuitem", name="Pause with a note").click()
    await dash.page.get_by_label("Reason, for others").fill("until Monday")
    await dash.button("Pause").click()
    await expect(row(dash, "nightly")).to_contain_text("until Monday")

    # It is shown at once, and known to the server a moment later.
    async def noted() -> bool:
        return bool((await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()["pause_note"] == "until Monday")

    await until("the note is kept", noted)


async def test_keys_move_open_and_make(dash: Dash) -> None:
    await dash.trigger("a")
    await dash.trigger("b")
    await dash.open("/")
    await dash.page.keyboard.press("g")
    await dash.page.keyboard.press("t")
    await expect(row(dash, "b")).to_be_visible()
    await dash.page.keyboard.press("n")
    await expect(dash.page.get_by_role("dialog", name="New trigger")).to_be_visible()
    await dash.page.keyboard.press("Escape")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("Enter")
    await expect(dash.page.get_by_role("heading", name="b", exact=True)).to_be_visible()


async def test_what_takes_long_has_a_skeleton_and_what_fails_a_reason(dash: Dash) -> None:
    await dash.trigger()
    release = await dash.hold(OVERVIEW)
    await dash.open("/triggers")
    panel = dash.page.get_by_role("region", name="Triggers")
    await expect(panel.get_by_role("status", name="Loading")).to_be_visible()
    release.set()
    await expect(row(dash, "nightly")).to_be_visible()

    await dash.page.unroute(OVERVIEW)
    await dash.refuse(OVERVIEW)
    await dash.page.reload()
    await expect(panel.get_by_role("alert")).to_contain_text("The triggers could not be read")
    await expect(panel.get_by_role("button", name="Try again")).to_be_visible()
    await dash.allow(OVERVIEW)
    await dash.ended("talk")
    await expect(row(dash, "nightly")).to_be_visible()


async def test_the_calendar_shows_a_day_and_a_week(dash: Dash) -> None:
    await dash.trigger()
    await dash.trigger("often", every_seconds=3600)
    await dash.open("/triggers")
    await expect(dash.page.get_by_role("img", name="nightly: 1 run")).to_be_visible()
    await expect(dash.page.get_by_role("img", name=re.compile("often: 2[34] runs"))).to_be_visible()
    await dash.button("Week").click()
    week = dash.page.get_by_role("region", name="Next 7 days")
    await expect(week.get_by_role("heading", name="Today")).to_be_visible()
    # A whole day: of today only a few times may be left, which are then shown one by one.
    await expect(week.get_by_role("heading")).to_have_count(8)
    await expect(week.locator(".week > li").last.get_by_role("link", name="often")).to_have_count(1)
    await dash.address_has("span=week")


async def test_a_viewer_sees_triggers_and_changes_none(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="tenant_viewer") as dash:
        trigger_id = await dash.trigger()
        await dash.open("/triggers")
        await expect(row(dash, "nightly")).to_be_visible()
        for role in ("switch", "checkbox"):
            await expect(dash.page.locator(f"[role={role}]")).to_have_count(0)
        await expect(dash.button("New trigger")).to_have_count(0)
        await expect(dash.button(re.compile("Run now|Actions for"))).to_have_count(0)
        await dash.open(f"/triggers/{trigger_id}")
        await expect(dash.page.get_by_role("heading", name="Fires")).to_be_visible()
        await expect(dash.button(re.compile("Run now|Edit"))).to_have_count(0)


async def test_on_a_phone_nothing_is_cut_off(browser: Browser, dashboard: DashboardServer, tenant: str) -> None:
    async with reading(browser, dashboard, tenant, width=390, height=844) as dash:
        trigger_id = await dash.trigger("a trigger with a rather long name, as people give them")
        for path in ("/triggers", "/triggers?span=week", f"/triggers/{trigger_id}"):
            await dash.open(path)
            await expect(dash.page.locator("h1")).to_be_visible()
            await expect(dash.page.get_by_role("status", name="Loading")).to_have_count(0)
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await dash.page.evaluate(wide) == 0, path
