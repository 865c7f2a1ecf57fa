"""What stands around every screen."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect
from tests.web.dash import Dash, reading
from tests.web.screens import SCREENS, role_for
from tests.web.served import DashboardServer
from tests.web.visiting import begin_at, go


async def test_keys_lead_from_screen_to_screen_and_are_listed(dash: Dash) -> None:
    await dash.open("/")
    await expect(dash.page.locator(".sidebar")).to_be_visible()
    await dash.page.keyboard.press("g")
    await dash.page.keyboard.press("j")
    await expect(dash.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()

    await dash.page.keyboard.press("?")
    keys = dash.page.get_by_role("dialog", name="Keys")
    await expect(keys).to_contain_text("Go to Overview")
    await expect(keys).to_contain_text("Next job" if await dash.page.locator("table").count() else "Search")
    await dash.page.keyboard.press("Escape")
    await expect(keys).to_be_hidden()


async def test_the_browsers_buttons_lead_back_and_forth(dash: Dash) -> None:
    await dash.open("/")
    await dash.page.get_by_role("link", name="Jobs", exact=True).first.click()
    await expect(dash.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    await dash.page.go_back()
    await expect(dash.page.locator(".stat-strip")).to_be_visible()


async def test_the_theme_follows_the_system_until_one_is_chosen(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, dark=True) as dash:
        await dash.open("/")
        ground = "() => getComputedStyle(document.body).backgroundColor"
        assert await dash.page.evaluate(ground) == "rgb(12, 19, 23)"
        await dash.button("Light").click()
        assert await dash.page.evaluate(ground) == "rgb(245, 247, 248)"
        await dash.page.reload()
        await expect(dash.page.locator("#main")).to_be_attached()
        assert await dash.page.evaluate(ground) == "rgb(245, 247, 248)"


async def test_a_viewer_is_not_offered_what_they_may_not_do(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="tenant_viewer") as dash:
        job_id = await dash.ended("fail")
        await dash.open("/jobs")
        await expect(dash.row(job_id)).to_be_visible()
        await expect(dash.button("Enqueue job")).to_have_count(0)
        await expect(dash.page.get_by_role("checkbox")).to_have_count(0)
        await dash.open(f"/jobs/{job_id}")
        await expect(dash.page.get_by_role("heading", name="fail")).to_be_visible()
        await expect(dash.button("Retry")).to_have_count(0)
        await expect(dash.button("Enqueue a copy")).to_have_count(0)
        assert dash.troubles == []


async def test_a_super_admin_chooses_a_tenant_which_stays_in_the_address(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        job_id = await dash.ended("greet", {"name": "a"})
        await dash.open("/jobs")
        await dash.button("Tenant: all tenants").click()
        await dash.page.get_by_role("menuitemcheckbox", name=tenant).click()
        await dash.page.get_by_role("link", name="Jobs", exact=True).first.click()

        await expect(dash.page.locator("tbody tr")).to_have_count(1)
        await expect(dash.row(job_id)).to_be_visible()
        await dash.address_has(f"tenant={tenant}")
        await dash.row(job_id).get_by_role("link").click()
        await expect(dash.page.get_by_role("heading", name="greet")).to_be_visible()
        await dash.address_has(f"tenant={tenant}")
        assert dash.troubles == []


async def test_a_lost_connection_is_told_and_found_again(dash: Dash) -> None:
    await dash.page.route("**/api/v1/stream", lambda route: route.abort())
    await dash.open("/jobs")
    banner = dash.page.locator(".banner")
    await expect(banner).to_contain_text("Connection lost")
    await expect(banner).to_contain_text("The next attempt is in")
    await expect(dash.page.locator(".main.is-stale")).to_be_visible()

    await dash.page.unroute("**/api/v1/stream")
    await dash.button("Try now").click()

    await expect(banner).to_be_hidden()
    await expect(dash.page.locator(".sidebar")).to_contain_text("Live")


@pytest.mark.parametrize("role", ["tenant_admin", "super_admin"])
async def test_on_a_phone_nothing_is_wider_than_the_screen(
    browser: Browser, dashboard: DashboardServer, tenant: str, role: str
) -> None:
    async with reading(browser, dashboard, tenant, role=role, width=390, height=844) as dash:
        job_id = await dash.ended("fail", {"text": "a long error " * 20})
        trigger_id = await dash.trigger()
        await begin_at(dash, "/")
        wide: list[str] = []
        for name in (name for name in SCREENS if role_for(name) == role):
            await go(dash, SCREENS[name].format(job=job_id, trigger=trigger_id))
            await expect(dash.page.locator(".phone-nav")).to_be_visible()
            if not await dash.page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
                wide.append(name)
            await dash.button("More").click()
            await expect(dash.page.get_by_role("dialog", name="Go to")).to_be_visible()
            await dash.page.keyboard.press("Escape")
        assert wide == []
        assert dash.troubles == []


async def test_an_address_that_is_none_says_so(dash: Dash) -> None:
    await dash.open("/nothing")
    await expect(dash.page.get_by_role("heading", name="Nothing is at this address")).to_be_visible()
    await dash.page.get_by_role("link", name="To the overview").click()
    await expect(dash.page.locator(".stat-strip")).to_be_visible()
