"""Signing in, by the link and by hand, and out again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Browser, expect
from tests.web.dash import Dash
from tests.web.served import DashboardServer

KEPT = "() => JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}, location.href, history.length])"


async def page_of(browser: Browser) -> Any:
    return await (await browser.new_context()).new_page()


async def test_a_printed_link_signs_in_once_and_its_code_leaves_the_address(
    browser: Browser, dashboard: DashboardServer
) -> None:
    link = dashboard.sign_in_link()
    code = link.partition("#code=")[2]
    page = await page_of(browser)
    await page.goto(link)

    await expect(page.locator(".who")).to_contain_text("headrace dev · super_admin")
    await expect(page).to_have_url(f"{dashboard.url}/")
    assert code not in await page.evaluate(KEPT)
    await page.context.close()

    page = await page_of(browser)
    await page.goto(link)
    await expect(page.get_by_role("alert")).to_contain_text("for a new link run headrace sign-in on the server")
    await expect(page).to_have_url(f"{dashboard.url}/")
    await page.evaluate("(link) => { location.href = link }", dashboard.sign_in_link())
    await expect(page.locator(".who")).to_contain_text("headrace dev · super_admin")
    await page.context.close()


@pytest.mark.parametrize("kind", ["token", "code"])
async def test_a_link_of_someone_else_asks_before_it_changes_anything(dash: Dash, kind: str) -> None:
    path = f"/#token={dash.server.token}" if kind == "token" else dash.server.sign_in_link()[len(dash.server.url) :]
    await dash.open("/jobs")
    await dash.page.goto(dash.server.url + path)
    dialog = dash.page.get_by_role("dialog", name="Sign in as someone else?")
    await expect(dialog).to_contain_text(f"tenant_admin {dash.tenant} (tenant_admin of {dash.tenant})")
    await expect(dialog).to_contain_text("headrace dev (super_admin)")

    await dialog.get_by_role("button", name="Not now").click()
    await expect(dialog).to_have_count(0)
    await dash.page.reload()
    await expect(dash.page.locator(".who")).to_contain_text("tenant_admin")

    await dash.open(path)
    await dialog.get_by_role("button", name="Sign in").click()
    await expect(dash.page.locator(".who")).to_contain_text("headrace dev · super_admin")


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
