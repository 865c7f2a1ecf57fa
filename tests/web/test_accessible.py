"""axe finds nothing serious on any screen, in light and dark, at a desk and on a phone."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect
from tests.web.axe import serious
from tests.web.dash import Dash, reading
from tests.web.screens import SCREENS, role_for
from tests.web.served import DashboardServer
from tests.web.visiting import begin_at, go

LOOKS = {"light": (1440, False), "dark": (1440, True), "phone": (390, False)}


async def seeded(dash: Dash) -> str:
    """Some jobs of each kind; the id of a failed one."""
    await dash.ended("greet", {"name": "a"})
    await dash.ended("talk")
    await dash.enqueue("greet", {"name": "b"}, delay_seconds=3600)
    return await dash.ended("give_up")


@pytest.mark.parametrize("role", ["tenant_admin", "super_admin"])
async def test_every_screen_can_be_used_by_everybody(
    browser: Browser, dashboard: DashboardServer, tenant: str, role: str
) -> None:
    async with reading(browser, dashboard, tenant, role=role) as dash:
        job_id, trigger_id = await seeded(dash), await dash.trigger()
        await begin_at(dash, "/")
        wrong: dict[str, list[str]] = {}
        for name in (name for name in SCREENS if role_for(name) == role):
            await go(dash, SCREENS[name].format(job=job_id, trigger=trigger_id))
            for look, (width, dark) in LOOKS.items():
                await dash.page.set_viewport_size({"width": width, "height": 900})
                await dash.page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
                wrong[f"{name}, {look}"] = await serious(dash)
        assert {where: what for where, what in wrong.items() if what} == {}


async def test_dialogs_menus_and_suggestions_can_be_used_by_everybody(dash: Dash) -> None:
    job_id = await seeded(dash)
    await dash.open("/jobs")
    await expect(dash.row(job_id)).to_be_visible()
    await dash.page.keyboard.press("/")
    await expect(dash.page.get_by_role("listbox")).to_be_visible()
    assert await serious(dash) == []
    await dash.button("Columns").click()
    await expect(dash.page.get_by_role("menu")).to_be_visible()
    assert await serious(dash) == []
    await dash.page.keyboard.press("Escape")
    await dash.button("Enqueue job").click()
    await expect(dash.page.get_by_role("dialog")).to_be_visible()
    assert await serious(dash) == []


async def test_the_dialog_of_pauses_can_be_used_by_everybody(
    browser: Browser, dashboard: DashboardServer, tenant: str
) -> None:
    async with reading(browser, dashboard, tenant, role="super_admin") as dash:
        await dash.open("/definitions/greet")
        await dash.button("Pause").click()
        await dash.button("A time").click()
        await expect(dash.page.get_by_label("Ends at")).to_be_visible()
        assert await serious(dash) == []


async def test_the_dialogs_of_triggers_can_be_used_by_everybody(dash: Dash) -> None:
    trigger_id = await dash.trigger()
    await dash.open(f"/triggers/{trigger_id}")
    for name in ("Backfill", "Pause with a note", "Delete"):
        await dash.button("Actions").click()
        await dash.page.get_by_role("menuitem", name=name).click()
        await expect(dash.page.get_by_role("dialog")).to_be_visible()
        assert await serious(dash) == []
        await dash.page.keyboard.press("Escape")
    await dash.button("Edit").click()
    await expect(dash.page.get_by_role("dialog").get_by_text("Every day at 02:30")).to_be_visible()
    await dash.page.get_by_text("More settings").click()
    assert await serious(dash) == []
    await dash.button("Event").click()
    await expect(dash.page.get_by_label("Sample event")).to_be_visible()
    assert await serious(dash) == []


async def test_the_sign_in_can_be_used_by_everybody(dash: Dash) -> None:
    await dash.page.context.clear_cookies()
    await dash.page.goto(dash.server.url)
    await expect(dash.page.get_by_label("Token")).to_be_visible()
    assert await serious(dash) == []
