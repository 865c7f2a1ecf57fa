"""Workers and queues: seen, paused, set, drained."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio
from playwright.async_api import Browser, expect
from tests.waiting import until
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer

# A worker that has said nothing for a while, but whose lease is not over.
SILENT = """
insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, lease, lease_expires_at,
                             heartbeat_at)
values ($1, 'elsewhere', 7, '0.0.1', '{mail}', '{}', 4, interval '1 hour', now() + interval '10 minutes',
        now() - interval '50 minutes')
returning id
"""


@pytest_asyncio.fixture(loop_scope="session")
async def root(browser: Browser, dashboard: DashboardServer, tenant: str) -> AsyncIterator[Dash]:
    """A super-admin at a desk."""
    async with reading(browser, dashboard, tenant, role="super_admin") as reader:
        yield reader
        assert reader.troubles == []


async def test_a_worker_is_seen_with_its_slots_and_what_it_runs(root: Dash) -> None:
    job_id = await root.enqueue("hold")
    await root.until(job_id, "running")
    await root.open("/workers")

    row = root.page.locator("tr[data-worker]").first
    await expect(row).to_contain_text("default, headrace")
    await expect(row).to_contain_text("serving")
    await expect(row.get_by_role("img", name=re.compile(r"\d+ of 16 slots busy"))).to_be_visible()
    await expect(root.page.get_by_role("link", name=re.compile("hold …")).first).to_be_visible()
    await expect(root.page.get_by_text(re.compile(r"\d+ workers?, \d+ queues?, \d+ of \d+ slots busy"))).to_be_visible()
    await root.api.post(f"/jobs/{job_id}/cancel")


async def test_a_silent_worker_is_warned_of_and_can_be_drained(root: Dash) -> None:
    connection = await asyncpg.connect(root.server.database_url)
    worker_id = await connection.fetchval(SILENT, f"silent-{root.tenant}")
    try:
        await root.open("/workers")
        row = root.page.locator(f'tr[data-worker="{worker_id}"]')
        await expect(row).to_contain_text("silent")
        await expect(row).to_contain_text("50 m")
        await expect(row).to_contain_text("older")

        await row.get_by_role("button", name="Drain").click()

        await expect(row.get_by_role("button", name="Drain")).to_have_count(0)

        async def draining() -> bool:
            return bool(await connection.fetchval("select draining from headrace.worker where id = $1", worker_id))

        await until("it is told to drain", draining)
    finally:
        await connection.execute("delete from headrace.worker where id = $1", worker_id)
        await connection.close()


async def test_a_queue_is_paused_with_a_note_and_resumed(root: Dash) -> None:
    await root.open("/workers")
    row = root.page.locator('tr[data-queue="nobody"]')
    await row.get_by_role("button", name="Pause nobody").click()
    dialog = root.page.get_by_role("dialog", name="Pause queue nobody")
    await dialog.get_by_label("Reason, for others").fill("the provider is down")
    await dialog.get_by_role("button", name="A time").click()
    await dialog.get_by_label("Ends at").fill("2020-01-01T12:00")
    await expect(dialog.get_by_text("This time has passed.")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Pause", exact=True)).to_be_disabled()
    await dialog.get_by_label("Ends at").fill("2040-01-01T12:00")
    await dialog.get_by_role("button", name="Pause", exact=True).click()

    await expect(row).to_contain_text(re.compile(r"paused\s*ends in \d+ d.*,\s*the provider is down \(token"))
    with root.server.as_admin() as admin:
        assert admin.get("/admin/queues/nobody").json()["pause"]["resume_at"] == "2040-01-01T12:00:00Z"
    await row.get_by_role("button", name="Resume nobody").click()
    await expect(row.get_by_role("button", name="Pause nobody")).to_be_visible()
    with root.server.as_admin() as admin:
        assert admin.get("/admin/queues/nobody").json()["paused"] is False


async def test_a_refused_resume_is_taken_back(root: Dash) -> None:
    with root.server.as_admin() as admin:
        admin.post("/admin/queues/nobody/pause", json={"note": "later"})
    await root.open("/workers")
    await root.refuse("**/admin/queues/nobody/resume", detail="not now")
    row = root.page.locator('tr[data-queue="nobody"]')
    await row.get_by_role("button", name="Resume nobody").click()

    await expect(root.page.locator(".toast")).to_contain_text("Not resumed. not now")
    await expect(row.get_by_role("button", name="Resume nobody")).to_be_visible()
    with root.server.as_admin() as admin:
        admin.post("/admin/queues/nobody/resume")


async def test_settings_of_a_queue_are_edited_and_a_wrong_one_is_explained(root: Dash) -> None:
    await root.open("/workers")
    row = root.page.locator('tr[data-queue="nobody"]')
    await row.get_by_role("button", name=re.compile("^Settings of nobody")).click()
    field = root.page.get_by_label("Jobs at once")
    await field.fill("0")
    await root.button("Save").click()
    await expect(field).to_have_attribute("aria-invalid", "true")
    await field.fill("8")
    await root.page.get_by_label("Tenants take turns").check()
    await root.button("Save").click()

    await expect(row).to_contain_text("8 at once, fair")
    with root.server.as_admin() as admin:
        admin.patch("/admin/queues/nobody", json={"max_running": None, "fair": False})


async def test_a_panel_that_cannot_be_read_says_so_alone(root: Dash) -> None:
    await root.refuse("**/api/v1/admin/queues*", detail="the database took too long")
    await root.open("/workers")

    await expect(root.page.get_by_role("alert")).to_contain_text("The queues could not be read")
    await expect(root.page.locator("tr[data-worker]").first).to_be_visible()


async def test_rows_are_walked_with_keys(root: Dash) -> None:
    await root.open("/workers")
    await expect(root.page.locator("tr[data-queue]").first).to_be_visible()
    await root.page.keyboard.press("j")
    await root.page.keyboard.press("j")
    await root.page.keyboard.press("k")
    await expect(root.page.locator("tr[data-queue] a").first).to_be_focused()


async def test_who_is_of_a_tenant_is_not_offered_it(dash: Dash) -> None:
    await dash.open("/jobs")
    await expect(dash.page.get_by_role("heading", name="Jobs", exact=True)).to_be_visible()
    await expect(dash.page.get_by_role("link", name="Workers and queues")).to_have_count(0)
