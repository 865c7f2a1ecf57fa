"""What is seldom said of a trigger: folded away, sent only when it is said, and kept when the rest is edited."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Locator, expect
from tests.web.dash import Dash

MORE: dict[str, Any] = {
    "starts_at": "2030-01-01T05:00:00.123456Z",
    "ends_at": "2040-07-01T04:00:00Z",
    "max_fires": 7,
    "pause_on_failures": 3,
    "misfire_grace_seconds": 90.0,
    "catch_up_cap": 5,
    "dedupe_window_seconds": 3600.0,
    "queue": "mail",
    "priority": 0,
    "max_attempts": 2,
}


async def opened(dash: Dash) -> Locator:
    """The dialog for a new one, unfolded."""
    await dash.open("/triggers")
    await dash.button("New trigger").first.click()
    dialog = dash.page.get_by_role("dialog", name="New trigger")
    await expect(dialog.get_by_text("Every day at 02:00")).to_be_visible()
    await expect(dialog.get_by_label("Queue")).to_be_hidden()
    await dialog.get_by_text("More settings").click()
    await dialog.get_by_label("Name").fill("nightly")
    await dialog.get_by_label("Definition").select_option("talk")
    return dialog


async def edited(dash: Dash, trigger_id: str) -> Locator:
    """The dialog of one that is there."""
    await dash.open(f"/triggers/{trigger_id}")
    await dash.button("Edit").click()
    return dash.page.get_by_role("dialog", name="Edit trigger nightly")


async def read(dash: Dash, trigger_id: str) -> dict[str, Any]:
    found: dict[str, Any] = (await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()
    return found


async def test_all_that_the_api_takes_can_be_said(dash: Dash) -> None:
    dialog = await opened(dash)
    await dialog.get_by_label("Time zone").select_option("America/New_York")
    for label, text in (
        ("Not before", "2030-01-01T00:00"),
        ("Ends at", "2040-07-01T00:00"),
        ("At most", "7"),
        ("Pause after failures", "3"),
        ("Misfire grace", "90s"),
        ("Catch-up cap", "5"),
        ("Dedupe window", "1h"),
        ("Queue", "mail"),
        ("Priority", "0"),
        ("Attempts", "2"),
    ):
        await dialog.get_by_label(label, exact=True).fill(text)
    await expect(dialog.get_by_role("listitem").first).to_contain_text("1 Jan")
    await dialog.get_by_role("button", name="Create trigger").click()
    await dash.page.get_by_role("link", name="Open").click()

    await expect(dash.page.get_by_role("region", name="Settings")).to_contain_text("later than 1 m 30 s")
    made = await read(dash, dash.page.url.rsplit("/", 1)[1])
    assert {name: made[name] for name in MORE} == {**MORE, "starts_at": "2030-01-01T05:00:00Z"}


async def test_what_is_not_said_is_not_sent(dash: Dash) -> None:
    dialog = await opened(dash)
    await expect(dialog.get_by_label("Priority")).to_have_attribute("placeholder", "100, as talk has it")
    async with dash.page.expect_request(re.compile("/jobs/triggers$")) as sent:
        await dialog.get_by_role("button", name="Create trigger").click()
    assert MORE.keys() & dict((await sent.value).post_data_json or {}) == set()


async def test_what_is_wrong_is_said_at_its_field(dash: Dash) -> None:
    dialog = await opened(dash)
    most = dialog.get_by_label("At most", exact=True)
    await most.fill("many")
    await expect(dialog.get_by_text("many is not a number.")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Create trigger")).to_be_disabled()
    await most.fill("0")
    await dialog.get_by_label("Not before").fill("2031-01-01T00:00")
    await dialog.get_by_label("Ends at").fill("2030-01-01T00:00")
    await expect(dialog.get_by_label("Ends at")).to_have_attribute("aria-invalid", "true")
    await dialog.get_by_label("Ends at").fill("")
    await dialog.get_by_label("Queue").fill("my queue")
    await expect(dialog.get_by_text("1 Jan", exact=False).first).to_be_visible()
    await dialog.get_by_text("More settings").click()
    await dialog.get_by_role("button", name="Create trigger").click()

    # What the server refuses is shown though it was folded away.
    await expect(most).to_have_attribute("aria-invalid", "true")
    await expect(dialog.get_by_label("Queue")).to_have_attribute("aria-invalid", "true")
    await expect(dialog.get_by_text("2 fields to mend")).to_be_visible()


async def test_an_edit_of_the_rest_keeps_them(dash: Dash) -> None:
    trigger_id = await dash.trigger(definition="talk", timezone="America/New_York", **MORE)
    before = await read(dash, trigger_id)
    dialog = await edited(dash, trigger_id)
    await expect(dialog.get_by_label("Not before")).to_have_value("2030-01-01T00:00")
    await expect(dialog.get_by_label("Priority")).to_have_value("0")
    await expect(dialog.get_by_label("Misfire grace")).to_have_value("90s")
    await dialog.get_by_label("hour", exact=True).fill("4")
    await expect(dialog.get_by_text("Every day at 04:30")).to_be_visible()
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_be_hidden()

    after = await read(dash, trigger_id)
    assert {name for name in before if before[name] != after[name]} == {"cron", "version", "next_run_at"}


async def test_what_is_cleared_is_as_usual_again(dash: Dash) -> None:
    trigger_id = await dash.trigger(definition="talk", **MORE)
    dialog = await edited(dash, trigger_id)
    for label in ("Ends at", "At most", "Misfire grace", "Catch-up cap", "Queue", "Priority"):
        await dialog.get_by_label(label, exact=True).fill("")
    await expect(dialog.get_by_role("listitem")).to_have_count(10)
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_be_hidden()

    after = await read(dash, trigger_id)
    cleared = dict.fromkeys(("ends_at", "max_fires", "queue", "priority"))
    usual = {"misfire_grace_seconds": 60.0, "catch_up_cap": 100}
    assert {name: after[name] for name in MORE} == {**MORE, **cleared, **usual}


async def test_a_schedule_that_becomes_an_events_loses_what_events_have_not(dash: Dash) -> None:
    trigger_id = await dash.trigger(definition="talk", overlap="skip", jitter_seconds=5, **MORE)
    dialog = await edited(dash, trigger_id)
    await dialog.get_by_role("button", name="Event").click()
    await dialog.get_by_label("Event", exact=True).fill("user.created")
    await expect(dialog.get_by_label("At most", exact=True)).to_have_count(0)
    await expect(dialog.get_by_label("Dedupe window")).to_have_count(1)
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_be_hidden()

    after = await read(dash, trigger_id)
    assert (after["trigger_type"], after["max_fires"], after["starts_at"]) == ("event", None, None)
    assert (after["queue"], after["dedupe_window_seconds"]) == ("mail", 3600.0)
