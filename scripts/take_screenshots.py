"""Pictures of every screen, in light and dark and at phone width, from a server with a day's work behind it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, async_playwright, expect
from tests.servers import start_server
from tests.web.browsing import chromium
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer, serve_dashboard
from tests.web.visiting import begin_at, go, settle
from tests.web.world.story import Story, tell_story
from tests.web.world.story_around import FORGET, HEARD, write

IMAGES = Path(__file__).parents[1] / "docs" / "images"
LOOKS = {"light": (1440, 900, False), "dark": (1440, 900, True), "phone": (390, 844, False)}
TENANT = "acme"
# What only super-admins see.
OF_THE_SERVER = {
    "workers": "/workers",
    "tenants": "/admin",
    "tokens": "/admin/tokens",
    "audit": "/admin/audit",
    "retention": "/admin/retention",
}
WHO = {"tenant_admin": "ana", "super_admin": "oncall"}


async def take(chromium_url: str, server: DashboardServer, only: str) -> None:
    """All pictures whose names begin so."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.connect_over_cdp(chromium_url)
        async with reading(browser, server, TENANT, who="shop") as teller:
            story = await tell_story(teller)
        for look in LOOKS:
            await _sign_in_page(browser, server, f"sign-in-{look}", LOOKS[look], only)
        for role, screens in {"tenant_admin": _paths(story), "super_admin": OF_THE_SERVER}.items():
            async with reading(browser, server, TENANT, role=role, who=WHO[role]) as dash:
                await write(dash, FORGET)
                await begin_at(dash, "/")
                for look in LOOKS:
                    await _wear(dash, LOOKS[look])
                    for name, path in screens.items():
                        if f"{name}-{look}".startswith(only):
                            await write(dash, HEARD)
                            await _picture(dash, path, f"{name}-{look}")


async def _wear(dash: Dash, look: tuple[int, int, bool]) -> None:
    width, height, dark = look
    await dash.page.set_viewport_size({"width": width, "height": height})
    await dash.page.emulate_media(color_scheme="dark" if dark else "light")


def _paths(story: Story) -> dict[str, str]:
    return {
        "overview": "/",
        "jobs": "/jobs",
        "job": f"/jobs/{story.running}",
        "triggers": "/triggers",
        "week": "/triggers?span=week",
        "trigger": f"/triggers/{story.trigger}",
        "trigger-edit": f"/triggers/{story.trigger}#edit",
        "definitions": "/definitions",
        "definition": "/definitions/sync-dropbox?window=1h",
        "errors": "/errors?window=1h",
        "dead-letter": "/dead-letter",
        "logs": "/logs?q=answer",
        "alerts": "/alerts",
    }


async def _picture(dash: Dash, path: str, name: str) -> None:
    await go(dash, path)
    if path == "/" or path.startswith("/definitions/"):
        await expect(dash.page.locator(".chart canvas")).to_have_count(2)
    if path.startswith("/jobs/"):
        await expect(dash.page.get_by_role("log")).to_be_visible()
    if path.endswith("#edit"):
        await dash.button("Edit").click()
        await expect(dash.page.get_by_role("dialog").get_by_role("listitem")).to_have_count(10)
        await settle(dash)
    await dash.page.mouse.move(0, 0)
    await dash.page.evaluate("document.activeElement?.blur(), scrollTo(0, 0)")
    await dash.page.screenshot(path=IMAGES / f"{name}.png")
    await dash.page.keyboard.press("Escape")


async def _sign_in_page(
    browser: Browser, server: DashboardServer, name: str, look: tuple[int, int, bool], only: str
) -> None:
    if not name.startswith(only):
        return
    width, height, dark = look
    context = await browser.new_context(
        viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
    )
    page = await context.new_page()
    await page.goto(server.url)
    await expect(page.get_by_label("Token")).to_be_visible()
    await page.screenshot(path=IMAGES / f"{name}.png")
    await context.close()


def main(only: str) -> None:
    """Start everything, take pictures, stop everything."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    os.environ["HEADRACE_BUILTIN_ENABLED"] = "false"  # nobody is told of the story's alerts
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("pg", "server", "chromium"):
            (Path(scratch) / name).mkdir()
        with (
            start_server("18", Path(scratch) / "pg") as database,
            serve_dashboard(database, Path(scratch) / "server", app="tests.web.world.story:hr") as server,
            chromium(Path(scratch) / "chromium") as url,
        ):
            asyncio.run(take(url, server, only))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
