"""A Chromium for each process of a run, started once; each test has a page of its own in it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from playwright.async_api import Browser, Page
from scripts.install_chromium import MISSING, find
from tests.waiting import PATIENCE, wait_until

FLAGS = (
    "--headless=new",
    "--remote-debugging-port=0",
    "--no-sandbox",  # tests may run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-features=SpareRendererForSitePerProcess",
    "--renderer-process-limit=1",  # pages come one after another
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


@contextmanager
def chromium(folder: Path) -> Iterator[str]:
    """Where it listens."""
    program = find()
    assert program is not None, MISSING
    command = [program, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    # Debian's Chromium is started by a shell, which does not pass a signal on: the whole group gets it.
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True)
    port = folder / "DevToolsActivePort"
    try:
        wait_until("Chromium listens", lambda: port.is_file() and len(port.read_text().splitlines()) == 2)
        yield f"http://127.0.0.1:{port.read_text().splitlines()[0]}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(PATIENCE)


@asynccontextmanager
async def fresh_page(browser: Browser, url: str, *, width: int, height: int, dark: bool) -> AsyncIterator[Page]:
    """A page of somebody who was never at this address; at the end it goes."""
    # A context that nobody uses is used again, for the scripts that it has: only they are left of who was there before.
    idle = (context for context in browser.contexts if not context.pages)
    context = next(idle, None) or await browser.new_context(timezone_id="UTC")
    await context.clear_cookies()
    await context.clear_permissions()
    page = await context.new_page()
    try:
        await page.set_viewport_size({"width": width, "height": height})
        # Without motion a colour is there at once: who looks at contrast does not look at half of a change.
        await page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
        storage = await context.new_cdp_session(page)
        await storage.send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "local_storage"})
        await storage.detach()
        yield page
    finally:
        for one in context.pages:
            await one.close()
