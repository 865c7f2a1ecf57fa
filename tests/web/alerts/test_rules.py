"""Alert rules made, changed and deleted; each kind in words of its own."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, Locator, expect
from tests.web.axe import serious
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer

RULES = "/alerts/rules"


async def target(dash: Dash, name: str) -> str:
    """Somebody to be told."""
    body = {"name": name, "kind": "email", "address": "ann@example.com"}
    made: str = (await dash.api.post("/alerts/targets", json=body)).json()["id"]
    return made


async def rule(dash: Dash, **settings: Any) -> dict[str, Any]:
    """A rule, by the API."""
    answer = await dash.api.post(RULES, json={"name": "jobs die", "kind": "job_died", **settings})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def opened(dash: Dash) -> Locator:
    """The dialog for a new one."""
    await dash.open("/alerts")
    await dash.button("New rule").click()
    return dash.page.get_by_role("dialog", name="New rule")


async def action(dash: Dash, name: str, does: str) -> None:
    """Choose from the menu of a rule."""
    await dash.button(f"Actions of {name}").click()
    await dash.page.get_by_role("menuitem", name=does).click()


async def test_a_rule_is_made_with_all_that_it_can_be_told(dash: Dash) -> None:
    oncall, boss = await target(dash, "on call"), await target(dash, "boss")
    dialog = await opened(dash)
    await expect(dialog.get_by_role("button", name="Make rule")).to_be_disabled()
    await dialog.get_by_label("Name").fill("syncs fail")
    await dialog.get_by_label("Looks for").select_option("Too many attempts fail")
    await expect(dialog.get_by_text("Too many attempts of a definition fail.")).to_be_visible()
    await dialog.get_by_label("Only definition").fill("give_up")
    await dialog.get_by_label("Percent").fill("12.5")
    await dialog.get_by_label("Looks back").fill("1h")
    await dialog.get_by_role("checkbox", name="on call").check()
    await dialog.get_by_label("Repeat every").fill("30m")
    await dialog.get_by_text("Escalation, quiet hours and timing").click()
    await dialog.get_by_label("If not acknowledged, also notify").select_option("boss")
    await dialog.get_by_label("Escalate after repeat").fill("2")
    await dialog.get_by_label("Quiet from").fill("22:00")
    await dialog.get_by_label("Quiet until").fill("07:00")
    await dialog.get_by_label("Time zone").select_option("Europe/Berlin")
    await dialog.get_by_label("Group for").fill("0s")
    assert await serious(dash) == []
    await dialog.get_by_role("button", name="Make rule").click()

    row = dash.page.locator("[data-rule]")
    await expect(row).to_contain_text("12.5 % of attempts of give_up failed within 1 hour")
    await expect(row).to_contain_text("on call")
    await expect(row).to_contain_text(
        "again every 30 m, also boss with repeat 2; quiet from 22:00 to 07:00 Europe/Berlin"
    )
    (made,) = (await dash.api.get(RULES)).json()["items"]
    parameters = {"definition": "give_up", "percent": 12.5, "within_seconds": 3600.0, "min_attempts": 10}
    assert made["parameters"] == parameters
    assert (made["targets"], made["escalate_to"], made["group_seconds"]) == ([oncall], boss, 0.0)


async def test_what_is_wrong_is_said_at_its_field(dash: Dash) -> None:
    dialog = await opened(dash)
    await dialog.get_by_label("Name").fill("rows of failures")
    await dialog.get_by_label("Looks for").select_option("Jobs fail in a row")
    await dialog.get_by_label("How many in a row").fill("some")
    await expect(dialog.get_by_text("some is not a number.")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Make rule")).to_be_disabled()
    await dialog.get_by_label("How many in a row").fill("0")
    await dialog.get_by_role("button", name="Make rule").click()
    await expect(dialog.get_by_text("n is a whole number from 1 to 1,000, not 0")).to_be_visible()
    await expect(dialog.get_by_label("How many in a row")).to_have_attribute("aria-invalid", "true")
    await dialog.get_by_label("How many in a row").fill("5")
    await dialog.get_by_text("Escalation, quiet hours and timing").click()
    await dialog.get_by_label("Quiet from").fill("22:00")
    await dialog.get_by_role("button", name="Make rule").click()
    await expect(dialog.get_by_label("Quiet until")).to_have_attribute("aria-invalid", "true")


async def test_an_edit_changes_what_was_changed_and_no_more(dash: Dash) -> None:
    told = [await target(dash, "on call")]
    before = await rule(
        dash, targets=told, parameters={"definition": "give_up"}, group_seconds=5, timezone="Asia/Tokyo"
    )
    await dash.open("/alerts")
    await action(dash, "jobs die", "Edit")
    dialog = dash.page.get_by_role("dialog", name="Edit rule jobs die")
    await expect(dialog.get_by_label("Looks for")).to_be_disabled()
    await expect(dialog.get_by_label("Only definition")).to_have_value("give_up")
    await dialog.get_by_label("Name").fill("syncs die")
    await dialog.get_by_label("Forget it after").fill("5m")
    await dialog.get_by_role("button", name="Save").click()
    await expect(dash.page.locator("[data-rule]")).to_contain_text("syncs die")
    after = (await dash.api.get(f"{RULES}/{before['id']}")).json()
    assert after == {**before, "name": "syncs die", "parameters": {"definition": "give_up", "within_seconds": 300.0}}


async def test_a_rule_is_deleted_and_a_refusal_is_told(dash: Dash) -> None:
    await rule(dash)
    await dash.open("/alerts")
    await action(dash, "jobs die", "Delete")
    dialog = dash.page.get_by_role("dialog", name="Delete rule jobs die?")
    await dash.refuse("**/alerts/rules/*", detail="not now")
    await dialog.get_by_role("button", name="Delete rule").click()
    await expect(dialog.get_by_role("alert")).to_have_text("not now")
    await dash.allow("**/alerts/rules/*")
    await dialog.get_by_role("button", name="Delete rule").click()
    await expect(dash.page.get_by_text("No rule yet.")).to_be_visible()
    assert (await dash.api.get(RULES)).json()["items"] == []


async def test_the_servers_own_rules_tell_its_own_targets(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await target(dash, f"of {tenant}")
        with dashboard.as_admin() as admin:
            body = {"name": f"of the server, {tenant}", "kind": "email", "address": "root@example.com"}
            assert admin.post("/alerts/targets", json=body).status_code == 201
        await rule(dash)
        dialog = await opened(dash)
        await expect(dialog.get_by_role("checkbox", name=f"of the server, {tenant}")).to_be_visible()
        await expect(dialog.get_by_role("checkbox", name=f"of {tenant}", exact=True)).to_have_count(0)
        await dash.page.keyboard.press("Escape")
        await expect(dash.page.get_by_text(f"has used up its attempts · of {tenant}")).to_be_visible()
        await dash.page.keyboard.press("c")
        await expect(dialog).to_be_visible()
        assert dash.troubles == []
