"""The dialog in which triggers are made and changed: it validates while one writes, and shows what will come of it."""

from __future__ import annotations

import re

from playwright.async_api import Locator, expect
from tests.web.dash import Dash


async def opened(dash: Dash) -> Locator:
    """The dialog for a new one."""
    await dash.open("/triggers")
    await dash.button("New trigger").first.click()
    dialog = dash.page.get_by_role("dialog", name="New trigger")
    await expect(dialog.get_by_text("Every day at 02:00")).to_be_visible()
    return dialog


def cron(dialog: Locator, name: str) -> Locator:
    """One of the five fields."""
    return dialog.get_by_label(name, exact=True)


async def test_a_schedule_is_written_field_by_field_and_made(dash: Dash) -> None:
    dialog = await opened(dash)
    await dialog.get_by_label("Name").fill("nightly")
    await dialog.get_by_label("Definition").select_option("greet")
    await dialog.get_by_label("Time zone").select_option("America/New_York")
    await cron(dialog, "minute").fill("30")
    await expect(dialog.get_by_text("Every day at 02:30")).to_be_visible()
    times = dialog.get_by_role("listitem")
    await expect(times).to_have_count(10)
    await expect(times.first).to_contain_text(re.compile("02:30 E[SD]T"))
    await dialog.get_by_label("Payload", exact=True).fill('{"name": "a"}')
    await dialog.get_by_role("button", name="Create trigger").click()

    await expect(dash.page.locator('tr[data-trigger="nightly"]')).to_contain_text("Every day at 02:30")
    (made,) = (await dash.api.get("/jobs/triggers")).json()["items"]
    assert (made["cron"], made["timezone"]) == ("30 2 * * *", "America/New_York")


async def test_a_bad_field_is_named_while_it_is_written(dash: Dash) -> None:
    dialog = await opened(dash)
    await cron(dialog, "hour").fill("25")
    await expect(dialog.get_by_text(re.compile("The hour '25' is not valid"))).to_be_visible()
    await expect(cron(dialog, "hour")).to_have_attribute("aria-invalid", "true")
    await expect(cron(dialog, "minute")).not_to_have_attribute("aria-invalid", "true")
    await expect(dialog.get_by_text("Correct the schedule to see when it fires.")).to_be_visible()
    await dialog.get_by_label("Jitter").fill("90x")
    await expect(dialog.get_by_text("Use a duration, for example 30s or 5m.")).to_be_visible()
    await expect(dialog.get_by_text("2 fields to mend")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Create trigger")).to_be_disabled()
    await cron(dialog, "hour").fill("5")
    await dialog.get_by_label("Jitter").fill("90s")
    await expect(dialog.get_by_text("Every day at 05:00")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Create trigger")).to_be_enabled()


async def test_a_pasted_expression_and_a_preset_fill_all_fields(dash: Dash) -> None:
    dialog = await opened(dash)
    await cron(dialog, "minute").fill("15 6 1 * *")
    await expect(cron(dialog, "day")).to_have_value("1")
    await expect(dialog.get_by_text("At 06:15, on day 1 of the month")).to_be_visible()
    await dialog.get_by_role("button", name="Hourly").click()
    await expect(cron(dialog, "hour")).to_have_value("*")
    await expect(dialog.get_by_text("Every hour", exact=True)).to_be_visible()


async def test_a_name_is_needed_and_may_be_taken(dash: Dash) -> None:
    await dash.trigger("nightly", "talk")
    dialog = await opened(dash)
    await dialog.get_by_role("button", name="Create trigger").click()
    await expect(dialog.get_by_text("A name is required.")).to_be_visible()
    await dialog.get_by_label("Name").fill("nightly")
    await dialog.get_by_label("Definition").select_option("talk")
    await dialog.get_by_role("button", name="Create trigger").click()
    await expect(dialog.get_by_text('already has a trigger "nightly"')).to_be_visible()


async def test_an_event_trigger_is_tried_before_it_is_made(dash: Dash) -> None:
    dialog = await opened(dash)
    await dialog.get_by_role("button", name="Event").click()
    await dialog.get_by_label("Name").fill("greets")
    await dialog.get_by_label("Definition").select_option("greet")
    await dialog.get_by_label("Event", exact=True).fill("user.created")
    await dialog.get_by_label("Condition").fill("event.age > `17`")
    await dialog.get_by_label("Payload").fill('{"name": "{{event.name}}"}')
    await dialog.get_by_label("Sample event").fill('{"name": "Ada", "age": 36}')
    await expect(dialog.get_by_text("The condition holds.")).to_be_visible()
    await expect(dialog.locator(".json")).to_contain_text("Ada")
    await dialog.get_by_label("Sample event").fill('{"name": "Ada", "age": 3}')
    await expect(dialog.get_by_text("The condition does not hold: nothing is enqueued.")).to_be_visible()
    await dialog.get_by_label("Payload").fill('{"nome": "{{event.name}}"}')
    await expect(dialog.locator("aside .is-bad")).to_be_visible()
    await dialog.get_by_label("Payload").fill('{"name": ')
    await expect(dialog.get_by_text(re.compile("This is not JSON"))).to_be_visible()
    await dialog.get_by_label("Payload").fill('{"name": "{{event.name}}"}')
    await dialog.get_by_role("button", name="Create trigger").click()
    await expect(dash.page.locator('tr[data-trigger="greets"]')).to_contain_text("if event.age > `17`")


async def test_an_edit_changes_what_was_changed_and_no_more(dash: Dash) -> None:
    trigger_id = await dash.trigger(overlap="skip", jitter_seconds=90)
    before = (await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()
    await dash.open(f"/triggers/{trigger_id}")
    await dash.button("Edit").click()
    dialog = dash.page.get_by_role("dialog", name="Edit trigger nightly")
    await expect(dialog.get_by_label("Name")).to_be_disabled()
    await expect(dialog.get_by_label("Jitter")).to_have_value("90s")
    await cron(dialog, "hour").fill("4")
    await expect(dialog.get_by_text("Every day at 04:30")).to_be_visible()
    await dialog.get_by_role("button", name="Save").click()
    await expect(dialog).to_be_hidden()
    await expect(dash.page.get_by_text("Every day at 04:30")).to_be_visible()
    after = (await dash.api.get(f"/jobs/triggers/{trigger_id}")).json()
    # A scheduler works out the next time, sooner or later than this looks.
    changed = {name for name in before if before[name] != after[name]} - {"next_run_at"}
    assert changed == {"cron", "version"}
