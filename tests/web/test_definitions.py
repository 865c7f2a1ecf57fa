"""Definitions: what can be run, how it does, and how operators set it up."""

from __future__ import annotations

import re

from playwright.async_api import Browser, Locator, expect
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer


def row(dash: Dash, key: str) -> Locator:
    """Its row in the table."""
    return dash.page.locator(f'tr[data-definition="{key}"]')


def panel(dash: Dash, name: str) -> Locator:
    """A box by its title."""
    return dash.page.get_by_role("region", name=name, exact=True).first


async def test_a_tenant_sees_what_it_may_run_and_how_that_did(dash: Dash) -> None:
    await dash.ended("fail")
    await dash.open("/definitions")
    await expect(row(dash, "greet")).to_contain_text("Says hello, so many times.")
    await expect(row(dash, "greet")).to_contain_text("did not run")
    await expect(row(dash, "fail")).to_contain_text("0 %")
    await expect(row(dash, "fail")).to_contain_text("1 a day")
    await expect(dash.page.get_by_role("columnheader", name="State")).to_have_count(0)


async def test_a_tenants_page_has_arguments_and_nothing_to_set(dash: Dash) -> None:
    await dash.ended("greet", {"name": "a"})
    await dash.open("/definitions/greet")
    await expect(panel(dash, "Arguments")).to_contain_text("needed")
    await expect(panel(dash, "Arguments")).to_contain_text('"warm", "dry"')
    await dash.button("JSON Schema").click()
    await expect(panel(dash, "Arguments")).to_contain_text("properties")
    await expect(panel(dash, "Attempts")).to_be_visible()
    await expect(dash.button(re.compile("^Edit|^Pause"))).to_have_count(0)
    await expect(panel(dash, "Registered")).to_have_count(0)


async def test_a_job_of_it_is_enqueued_from_its_page(dash: Dash) -> None:
    await dash.open("/definitions/greet")
    await expect(dash.button("Enqueue")).to_be_visible()
    await dash.page.keyboard.press("e")
    dialog = dash.page.get_by_role("dialog", name="Enqueue job")
    await expect(dialog.get_by_label("Definition")).to_have_value("greet")
    await dialog.get_by_label("name").fill("Ada")
    await dialog.get_by_role("button", name="Enqueue").click()
    await expect(dash.page.get_by_text(re.compile("Enqueued greet"))).to_be_visible()


async def test_a_window_stays_in_the_address(dash: Dash) -> None:
    await dash.open("/definitions/greet")
    await dash.button("7 d").click()
    await expect(dash.page.get_by_role("heading", name="Attempts in 2 hours")).to_be_visible()
    await dash.address_has("window=7d")


async def test_one_that_is_not_there_says_so(dash: Dash) -> None:
    await dash.open("/definitions/nothing")
    await expect(dash.page.get_by_role("alert").first).to_contain_text("This definition does not exist")


async def test_a_list_that_fails_says_why(dash: Dash) -> None:
    await dash.refuse("**/api/v1/definitions*")
    await dash.open("/definitions")
    await expect(dash.page.get_by_role("alert")).to_contain_text("The definitions could not be read")


async def test_an_operator_sets_limits_where_they_stand(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await dash.open("/definitions/talk")
        await expect(panel(dash, "Registered")).to_contain_text("in code of web")
        await expect(panel(dash, "Limits")).to_contain_text("no limit")
        await dash.button("Edit limits").click()
        await dash.page.get_by_label("At once", exact=True).fill("many")
        await expect(dash.page.get_by_text("many is not a number.")).to_be_visible()
        await expect(dash.button("Save")).to_be_disabled()
        await dash.page.get_by_label("At once", exact=True).fill("0")
        await dash.button("Save").click()
        await expect(panel(dash, "Limits").locator(".is-bad")).to_be_visible()
        await dash.page.get_by_label("At once", exact=True).fill("64")
        await dash.page.get_by_label("Starts").fill("500")
        await dash.page.get_by_label("Period").fill("2m")
        await dash.button("Save").click()
        await expect(panel(dash, "Limits")).to_contain_text("64 code says no limit")
        await expect(panel(dash, "Limits")).to_contain_text("2 m 00 s")
        with dashboard.as_admin() as admin:
            found = admin.get("/admin/jobs/definitions/talk").json()
            assert (found["max_concurrency"], found["rate_limit"], found["rate_period_seconds"]) == (64, 500, 120.0)
            declared = {"max_concurrency": None, "rate_limit": None, "rate_period_seconds": 1.0}
            assert admin.patch("/admin/jobs/definitions/talk", json=declared).status_code == 200


async def test_an_operator_sets_which_tenants_may_run_it(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await dash.open("/definitions/talk")
        await expect(panel(dash, "Limits")).to_contain_text("Tenantsall tenants")
        await dash.button("Edit limits").click()
        field = dash.page.get_by_label("Tenants", exact=True)
        await field.fill("default, a b")
        await dash.button("Save").click()
        await expect(panel(dash, "Limits").locator(".is-bad")).to_contain_text("should match pattern")
        await field.fill("default,globex")
        await dash.button("Save").click()
        await expect(panel(dash, "Limits")).to_contain_text("default, globex code says all tenants")
        async with reading(browser, dashboard, tenant) as other:
            await other.open("/definitions")
            await expect(row(other, "greet")).to_be_visible()
            await expect(row(other, "talk")).to_have_count(0)
        await dash.button("Edit limits").click()
        await field.fill("")
        await dash.button("Save").click()
        await expect(panel(dash, "Limits")).to_contain_text("Tenantsall tenants")


async def test_an_operator_pauses_with_a_note_and_resumes(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await dash.open("/definitions/nightly")
        await dash.button("Pause").click()
        dialog = dash.page.get_by_role("dialog", name="Pause definition nightly")
        await dialog.get_by_label("Reason, for others").fill("a migration")
        await dialog.get_by_role("button", name="1 h").click()
        await dialog.get_by_role("button", name="Pause").click()
        banner = dash.page.locator(".banner")
        await expect(banner).to_contain_text(re.compile(r"Paused by .*: a migration\. The pause ends in (1 h 00|59) m"))
        await dash.open("/definitions")
        await expect(row(dash, "nightly")).to_contain_text(re.compile("paused.*ends in", re.DOTALL))
        await dash.open("/definitions/nightly")
        await dash.button("Resume").click()
        await expect(dash.button("Pause")).to_be_visible()


async def test_an_operator_disables_and_enables(browser: Browser, dashboard: DashboardServer, tenant: str) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await dash.open("/definitions/nightly")
        for what in ("Disable", "Enable"):
            await dash.button("Actions").click()
            await dash.page.get_by_role("menuitem", name=what).click()
            banner = dash.page.get_by_text("Disabled: new enqueues are refused.")
            await expect(banner).to_have_count(1 if what == "Disable" else 0)


async def test_on_a_phone_nothing_is_cut_off(browser: Browser, dashboard: DashboardServer, tenant: str) -> None:
    async with reading(browser, dashboard, tenant, width=390, height=844) as dash:
        for path in ("/definitions", "/definitions/greet"):
            await dash.open(path)
            await expect(dash.page.locator("h1")).to_be_visible()
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await dash.page.evaluate(wide) == 0, path
