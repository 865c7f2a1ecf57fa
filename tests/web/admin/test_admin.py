"""The server's own matters: tenants, tokens, who changed what, retention."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import Browser, expect
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer


@pytest_asyncio.fixture(loop_scope="session")
async def root(browser: Browser, dashboard: DashboardServer, tenant: str) -> AsyncIterator[Dash]:
    """A super-admin at a desk."""
    async with reading(browser, dashboard, tenant, role="super_admin") as reader:
        yield reader
        assert reader.troubles == []


async def test_a_tenant_is_made_changed_and_paused(root: Dash) -> None:
    name = f"{root.tenant}-new"
    await root.open("/admin")
    await expect(root.page.locator(f'tr[data-tenant="{root.tenant}"]')).to_be_visible()
    await root.page.keyboard.press("c")
    await root.page.get_by_label("Name").fill(root.tenant)
    await root.page.get_by_role("button", name="Make", exact=True).click()
    await expect(root.page.get_by_label("Name")).to_have_attribute("aria-invalid", "true")
    await root.page.get_by_label("Name").fill(name)
    await root.page.get_by_label("Most: running").fill("12")
    await root.page.get_by_label("Queues").fill("mail, a b!")
    await root.page.get_by_label("Most urgent priority").fill("0")
    await root.page.get_by_role("button", name="Make", exact=True).click()
    await expect(root.page.get_by_label("Queues")).to_have_attribute("aria-invalid", "true")
    await root.page.get_by_label("Queues").fill("mail, reports")
    await root.page.get_by_role("button", name="Make", exact=True).click()

    row = root.page.locator(f'tr[data-tenant="{name}"]')
    await expect(row).to_contain_text("12")
    await root.button(f"Edit {name}").click()
    await expect(root.page.get_by_label("Queues")).to_have_value("mail, reports")
    await expect(root.page.get_by_label("Most urgent priority")).to_have_value("0")
    await root.page.get_by_label("Weight").fill("3")
    await root.button("Save").click()
    await expect(row.locator('[data-label="Weight"]')).to_have_text("3")
    await root.button(f"Pause {name}").click()
    await root.page.get_by_label("Reason, for others").fill("bills are open")
    await root.button("15 m").click()
    await root.page.get_by_role("dialog").get_by_role("button", name="Pause", exact=True).click()
    await expect(row).to_contain_text(re.compile(r"paused\s*ends in 1[45] m .*bills are open"))
    await root.button(f"Resume {name}").click()
    await expect(root.button(f"Pause {name}")).to_be_visible()


async def test_a_token_is_shown_once_and_revoked(root: Dash) -> None:
    name = f"ci {root.tenant}"
    await root.open("/admin/tokens")
    await root.button("New token").click()
    await root.page.get_by_label("Name", exact=True).fill(name)
    await root.page.get_by_label("Tenant", exact=True).select_option(root.tenant)
    await root.page.get_by_role("button", name="Make", exact=True).click()

    secret = root.page.get_by_role("dialog", name=f"Token {name}").locator("code")
    await expect(secret).to_have_text(re.compile(r"^hr_\S{20,}$"))
    await root.button("I have stored it").click()
    await expect(secret).to_have_count(0)
    await root.button(f"Revoke {name}").click()
    await root.page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(root.button(f"Revoke {name}")).to_have_count(0)
    await root.page.get_by_label("Revoked and expired too").check()
    await expect(root.page.locator("tr", has_text=name)).to_contain_text("revoked")


async def test_the_trail_is_filtered_opened_and_paged(root: Dash) -> None:
    with root.server.as_admin() as admin:
        for weight in range(2, 54):
            admin.patch(f"/admin/tenants/{root.tenant}", json={"weight": weight})
    release = await root.hold("**/api/v1/admin/audit*")
    await root.open("/admin/audit")
    await root.page.get_by_placeholder("Target").fill(root.tenant)
    rows = root.page.locator("li.audit-row")
    release.set()
    await expect(rows).to_have_count(50)
    await root.page.keyboard.press("Enter")

    await root.address_has(f"target={root.tenant}")
    await expect(rows.filter(has_text=root.tenant)).to_have_count(50)
    await rows.first.get_by_role("button").click()
    await expect(rows.first.locator(".json")).to_contain_text("after")
    await root.page.get_by_role("link", name="Older").click()
    await expect(rows).to_have_count(3)
    await root.page.get_by_role("link", name="Newest").click()
    await expect(rows).to_have_count(50)


async def test_retention_says_what_is_kept_and_what_would_go(root: Dash) -> None:
    await root.open("/admin/retention")
    await expect(root.page.get_by_text("Dead letters")).to_be_visible()
    await root.button("Dry run").click()
    await expect(root.page.get_by_text("Nothing would be removed now.")).to_be_visible()


async def test_a_part_that_cannot_be_read_says_so(root: Dash) -> None:
    await root.refuse("**/api/v1/admin/tenants*")
    await root.open("/admin")
    await expect(root.page.get_by_role("alert")).to_contain_text("The tenants could not be read")


async def test_who_is_of_a_tenant_is_not_offered_it(dash: Dash) -> None:
    await dash.open("/admin/tokens")
    await expect(dash.page.get_by_role("heading", name="Nothing is at this address")).to_be_visible()
    await expect(dash.page.get_by_role("link", name="Admin")).to_have_count(0)
