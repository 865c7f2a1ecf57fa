"""Alerts: seen, acknowledged, closed; rules turned off."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Browser, expect
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer


async def rule(dash: Dash) -> dict[str, Any]:
    """Dead letters are looked for, and nobody is told."""
    answer = await dash.api.post("/alerts/rules", json={"name": "jobs die", "kind": "job_died"})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_an_alert_is_acknowledged_and_closed(dash: Dash) -> None:
    await rule(dash)
    await dash.ended("give_up")
    await dash.open("/alerts")

    alert = dash.page.locator("li.alert-row")
    await expect(alert).to_contain_text("give_up")
    await expect(alert).to_contain_text("not acknowledged")
    await alert.get_by_role("button", name="Acknowledge").click()
    await expect(alert).to_contain_text("acknowledged by")
    await expect(alert.get_by_role("button", name="Acknowledge")).to_have_count(0)
    await alert.get_by_role("button", name="Close").click()
    await expect(alert.get_by_role("button", name="Close")).to_have_count(0)
    await dash.button("Closed").click()
    await expect(alert).to_contain_text("closed by")


async def test_a_rule_is_turned_off_and_a_refusal_is_taken_back(dash: Dash) -> None:
    made = await rule(dash)
    await dash.open("/alerts")
    switch = dash.page.get_by_role("switch", name="jobs die is on")
    await dash.refuse("**/alerts/rules/*/disable", detail="not now")
    await switch.click()
    await expect(dash.page.locator(".toast")).to_contain_text("Not turned off. not now")
    await expect(switch).to_be_checked()
    await dash.allow("**/alerts/rules/*/disable")
    # The switch does not wait for the answer, and this test must not reload before it has come.
    async with dash.page.expect_response("**/alerts/rules/*/disable"):
        await switch.click()
    await expect(switch).not_to_be_checked()
    await dash.page.reload()
    await expect(switch).not_to_be_checked()
    assert (await dash.api.get(f"/alerts/rules/{made['id']}")).json()["enabled"] is False


async def test_where_there_is_nothing_it_says_what_to_do(dash: Dash) -> None:
    await dash.open("/alerts")
    await expect(dash.page.get_by_role("heading", name="No alert is open")).to_be_visible()
    await expect(dash.page.get_by_text("No rule yet.")).to_be_visible()
    await expect(dash.page.get_by_text("No target yet.")).to_be_visible()


async def test_a_viewer_reads_and_changes_nothing(browser: Browser, dashboard: DashboardServer, tenant: str) -> None:
    async with reading(browser, dashboard, tenant, role="tenant_viewer") as dash:
        await rule(dash)
        await dash.open("/alerts")
        await expect(dash.page.get_by_role("switch", name="jobs die is on")).to_be_disabled()
        await expect(dash.button(re.compile("^New |^Test|^Actions of"))).to_have_count(0)
        assert dash.troubles == []


async def test_what_cannot_be_read_says_so(dash: Dash) -> None:
    await dash.refuse("**/api/v1/alerts?*")
    await dash.open("/alerts")
    await expect(dash.page.get_by_role("alert")).to_contain_text("The alerts could not be read")
