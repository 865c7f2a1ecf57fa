"""Signing in, by the link and by hand, and out again."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Browser, expect
from tests.web.dash import Dash
from tests.web.served import DashboardServer

KEPT = "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, location.href, history.length])"


async def page_of(browser: Browser) -> Any:
    return await (await browser.new_context()).new_page()


async def test_the_printed_link_signs_in_and_the_token_leaves_the_address(
    browser: Browser, dashboard: DashboardServer
) -> None:
    page = await page_of(browser)
    await page.goto(f"{dashboard.url}/jobs#token={dashboard.token}")

    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    await expect(page).to_have_url(f"{dashboard.url}/jobs")
    assert dashboard.token not in await page.evaluate(KEPT)
    await page.context.close()


async def test_a_token_is_pasted_and_a_wrong_one_is_explained(browser: Browser, dashboard: DashboardServer) -> None:
    page = await page_of(browser)
    await page.goto(f"{dashboard.url}/jobs")
    field = page.get_by_label("Token")
    await expect(field).to_be_focused()

    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text("Paste a token first.")
    await field.fill("hr_wrong")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("The token is unknown, expired or revoked")
    await field.fill(dashboard.token)
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    assert dashboard.token not in await page.evaluate(KEPT)
    await page.context.close()


async def test_who_signs_out_has_to_sign_in_again(dash: Dash) -> None:
    await dash.open("/jobs")
    await dash.button("Account").click()
    await dash.page.get_by_role("menuitem", name="Sign out").click()

    await expect(dash.page.get_by_label("Token")).to_be_visible()
    await dash.page.reload()
    await expect(dash.page.get_by_label("Token")).to_be_visible()


async def test_a_revoked_token_ends_what_it_opened(dash: Dash) -> None:
    await dash.open("/jobs")
    with dash.server.as_admin() as admin:
        tokens = admin.get("/admin/tokens").json()["items"]
        [mine] = [token for token in tokens if token["name"] == f"tenant_admin {dash.tenant}"]
        admin.delete(f"/admin/tokens/{mine['id']}")

    await expect(dash.page.get_by_label("Token")).to_be_visible()


async def test_when_the_server_does_not_answer_it_says_so_and_tries_again(dash: Dash) -> None:
    await dash.refuse("**/api/v1/session", detail="the database is starting")
    await dash.page.goto(dash.server.url)
    await expect(dash.page.get_by_role("alert")).to_contain_text("the database is starting")

    await dash.try_again("**/api/v1/session")

    await expect(dash.page.locator(".sidebar")).to_be_visible()
