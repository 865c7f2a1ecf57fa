"""One pass over the dashboard: every screen opens, and the page complains of nothing."""

from __future__ import annotations

from playwright.async_api import Browser
from tests.web.dash import reading
from tests.web.screens import SCREENS, role_for
from tests.web.served import DashboardServer
from tests.web.visiting import begin_at, go


async def test_every_screen_opens_without_a_complaint(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    for role in ("tenant_admin", "super_admin"):
        async with reading(browser, dashboard, tenant, role=role) as dash:
            job_id, trigger_id = await dash.ended("greet", {"name": "a"}), await dash.trigger(role.replace("_", "-"))
            await begin_at(dash, "/")
            for name in (name for name in SCREENS if role_for(name) == role):
                await go(dash, SCREENS[name].format(job=job_id, trigger=trigger_id))
            assert dash.troubles == []
