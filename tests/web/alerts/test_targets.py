"""Alert targets made, changed, tested and deleted, and what was sent to them."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, Locator, expect
from tests.web.axe import serious
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer

TARGETS = "/alerts/targets"


async def webhook(dash: Dash) -> dict[str, Any]:
    """One that never answers."""
    body = {"name": "on call", "kind": "webhook", "address": "https://example.invalid/hooks/s3cret", "sign": False}
    answer = await dash.api.post(TARGETS, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def chosen(dash: Dash, does: str, title: str) -> Locator:
    """A dialog from the menu of the target."""
    await dash.button("Actions of on call").click()
    await dash.page.get_by_role("menuitem", name=does).click()
    return dash.page.get_by_role("dialog", name=title)


async def test_a_target_of_each_kind_is_made_or_refused_at_its_field(dash: Dash) -> None:
    await dash.open("/alerts")
    await dash.button("New target").click()
    dialog = dash.page.get_by_role("dialog", name="New target")
    await dialog.get_by_label("Name").fill("on call")
    await dialog.get_by_label("Address").fill("http://127.0.0.1/hook")
    assert await serious(dash) == []
    await dialog.get_by_role("button", name="Make target").click()
    await expect(dialog.get_by_label("Address")).to_have_attribute("aria-invalid", "true")
    await dialog.get_by_label("Address").fill("https://example.com/hook")
    await dialog.get_by_role("button", name="Make target").click()
    # The server of these tests has no key to keep another one with.
    await expect(dialog.get_by_text("set HEADRACE_SECRET_KEY")).to_be_visible()
    await dialog.get_by_label("Sign its notices").uncheck()
    await dialog.get_by_role("button", name="Make target").click()
    await expect(dash.page.locator("[data-target]")).to_contain_text("on call")

    await dash.button("New target").click()
    await dialog.get_by_role("button", name="E-mail").click()
    await expect(dialog.get_by_label("Sign its notices")).to_have_count(0)
    await dialog.get_by_label("Name").fill("people")
    await dialog.get_by_label("Addresses").fill("ann@example.com, bob")
    await dialog.get_by_role("button", name="Make target").click()
    await expect(dialog.get_by_text("'bob' is not an e-mail address")).to_be_visible()
    await dialog.get_by_label("Addresses").fill("ann@example.com, bob@example.com")
    await dialog.get_by_role("button", name="Make target").click()
    await expect(dash.page.get_by_text("ann@example.com, bob@example.com")).to_be_visible()


async def test_the_key_of_a_signature_is_shown_once(dash: Dash) -> None:
    made = await webhook(dash)
    await dash.open("/alerts")
    dialog = await chosen(dash, "Edit", "Edit target on call")
    await dialog.get_by_label("Signature").select_option("Make a new key")
    answered = {**made, "signed": True, "key": "whsec_once"}
    await dash.page.route("**/alerts/targets/*", lambda route: route.fulfill(json=answered))
    await dialog.get_by_role("button", name="Save").click()
    shown = dash.page.get_by_role("dialog", name="Key of on call")
    await expect(shown.locator("code")).to_have_text("whsec_once")
    await shown.get_by_role("button", name="I have stored it").click()
    await expect(dash.page.get_by_text("whsec_once")).to_have_count(0)


async def test_an_edit_keeps_an_address_that_is_not_shown(dash: Dash) -> None:
    made = await webhook(dash)
    await dash.open("/alerts")
    dialog = await chosen(dash, "Edit", "Edit target on call")
    await expect(dialog.get_by_label("Address")).to_have_value("")
    await expect(dialog.get_by_text("Now https://example.invalid/hooks/***; the address stays")).to_be_visible()
    await dialog.get_by_label("Name").fill("on duty")
    async with dash.page.expect_request("**/alerts/targets/*") as sent:
        await dialog.get_by_role("button", name="Save").click()
    assert (await sent.value).post_data_json == {"name": "on duty", "signing": "keep"}
    await expect(dash.button("on duty", exact=True)).to_be_visible()
    assert (await dash.api.get(f"{TARGETS}/{made['id']}")).json()["name"] == "on duty"


async def test_a_target_that_a_rule_tells_is_not_deleted(dash: Dash) -> None:
    made = await webhook(dash)
    body = {"name": "jobs die", "kind": "job_died", "targets": [made["id"]]}
    rule = (await dash.api.post("/alerts/rules", json=body)).json()
    await dash.open("/alerts")
    dialog = await chosen(dash, "Delete", "Delete target on call?")
    await dialog.get_by_role("button", name="Delete target").click()
    await expect(dialog.get_by_role("alert")).to_contain_text("rules use this target: jobs die")
    await dash.api.delete(f"/alerts/rules/{rule['id']}")
    await dialog.get_by_role("button", name="Delete target").click()
    await expect(dash.page.get_by_text("No target yet.")).to_be_visible()


async def test_a_target_is_tested_and_each_try_is_in_its_log(
    browser: Browser, dashboard: DashboardServer, tenant: str, dash: Dash
) -> None:
    await webhook(dash)
    await dash.open("/alerts")
    await dash.button("Test on call").click()
    await expect(dash.page.locator(".toast")).to_contain_text("The notice to on call")
    await dash.button("on call", exact=True).click()
    log = dash.page.get_by_role("region", name="What was sent to on call")
    await expect(log).to_contain_text("a test")
    await expect(log).to_contain_text("example.invalid")
    address = dash.page.url.removeprefix(dash.server.url)
    async with reading(browser, dashboard, tenant, role="tenant_viewer", width=390, height=844) as viewer:
        await viewer.open(address)
        await expect(viewer.page.get_by_role("region", name="What was sent to on call")).to_contain_text("a test")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await viewer.page.evaluate(wide) == 0
        assert await serious(viewer) == []


async def test_a_target_that_was_never_told_says_so(dash: Dash) -> None:
    made = await webhook(dash)
    await dash.open(f"/alerts?sent={made['id']}")
    await expect(dash.page.get_by_text("No notice was sent to this target yet.")).to_be_visible()
