"""Whatever is stored stays text, on every screen: nothing of it runs, asks or becomes an element."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect
from tests.servers import TestServer
from tests.waiting import until
from tests.web.dash import Dash
from tests.web.screens import SCREENS, role_for
from tests.web.served import DashboardServer, serve_dashboard
from tests.web.visiting import begin_at, go, settle
from tests.web.world.hostile import STRINGS
from tests.web.world.hostile_world import ADDRESSES, World, fill, watched

ADDRESS = """(text) => {
  history.pushState(null, "", "/jobs?" + new URLSearchParams({ q: text, status: text, cursor: text }));
  dispatchEvent(new PopStateEvent("popstate"));
}"""
LISTEN = """() => {
  window.__refused = [];
  document.addEventListener("securitypolicyviolation", (event) => window.__refused.push(event.violatedDirective));
}"""
# Elements and attributes that no screen has, whatever it shows; each string would make one of them.
FOREIGN = """(links) => {
  const made = `script, iframe, object, embed, base, meta, link, style, template, marquee, video, source, math, xss,
    img, noscript:not(body > noscript), form[action], [srcdoc], [formaction]`;
  const leads = (one, name) => links.includes(name) && /^\\s*(javascript|data):/i.test(one.getAttribute(name));
  const found = [...document.body.querySelectorAll("*")].filter((one) => one.matches(made) ||
    one.getAttributeNames().some((name) => name.startsWith("on") || leads(one, name)));
  const texts = found.map((one) => one.outerHTML.slice(0, 200));
  return { hit: window.__hit ?? null, refused: window.__refused, found: texts };
}"""
LINKS = ["href", "src", "xlink:href"]
NOTHING: dict[str, object] = {"hit": None, "refused": [], "found": []}
SEEN = """(texts) => {
  const shown = document.getElementById("main").textContent;
  return texts.filter((text) => shown.includes(text));
}"""
# Where each of the strings stands somewhere in what a screen and its further pages show.
WHOLE = {"jobs", "triggers", "definitions", "dead letter", "alerts", "workers", "tenants", "tokens", "audit"}
# What opens on screens of the server; the first of its kind, whatever it is called.
DIALOGS: dict[str, list[str | re.Pattern[str]]] = {
    "/workers": [re.compile("^Settings of .*hit"), re.compile("^Pause default")],
    "/admin": [re.compile("^(Edit|Change) .*hit"), re.compile("^Resume .*hit")],
    "/admin/tokens": ["New token", re.compile("^Revoke .*hit")],
    "/definitions/{definition}": ["Edit limits", "Actions"],
}
# Open what opens in its place, one after another; of a long list some, since all are made alike.
UNFOLD = """async () => {
  const folded = "details:not([open]) > summary, [aria-expanded='false']:not([aria-haspopup], [role='combobox'])";
  const all = [...document.getElementById("main").querySelectorAll(folded)];
  for (const one of all.filter((_, n) => n % Math.ceil(all.length / 20) === 0)) {
    one.click();
    await new Promise((drawn) => setTimeout(drawn));
  }
}"""
OLDER = re.compile("^(Older|Next page)")


@pytest.fixture(scope="module")
def bearing(embedded_server: TestServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DashboardServer]:
    """A server of its own, since no other test could bear what is in it."""
    with serve_dashboard(embedded_server, tmp_path_factory.mktemp("hostile")) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(browser: Browser, bearing: DashboardServer) -> World:
    """All of it, for every test here."""
    return await fill(browser, bearing)


def test_there_are_two_hundred_of_them() -> None:
    assert len(set(STRINGS)) == 200
    assert len(ADDRESSES) == 2


@pytest.mark.parametrize("role", ["tenant_admin", "super_admin"])
async def test_nothing_that_is_stored_is_run_on_any_screen(browser: Browser, world: World, role: str) -> None:
    async with watched(browser, world, role) as (dash, elsewhere):
        await begin(dash)
        for name in (name for name in SCREENS if role_for(name) == role):
            for path in addresses(name, world):
                seen = await visit(dash, path)
                if name in WHOLE and path == SCREENS[name]:
                    assert len(seen) == len(STRINGS), f"{name} shows only {len(seen)}"
        assert elsewhere == []
        assert dash.troubles == []


async def test_nothing_is_run_in_menus_and_dialogs_of_a_tenant(browser: Browser, world: World) -> None:
    async with watched(browser, world, "tenant_admin") as (dash, elsewhere):
        await begin(dash)
        await go(dash, "/jobs")
        await press(dash, "Saved views")
        await shut(dash)
        await dash.page.keyboard.press("/")
        await dash.page.keyboard.type("definition:")
        await expect(dash.page.get_by_role("option").first).to_be_visible()
        await check(dash)
        await shut(dash)
        await press(dash, "Enqueue job")
        for key in world.definitions:
            await dash.page.get_by_role("dialog").get_by_label("Definition").select_option(key)
            await settle(dash)
            await check(dash)
        await shut(dash)
        await go(dash, f"/jobs/{world.jobs[0]}")
        await press(dash, "Retry with edits")
        await shut(dash)
        for trigger_id in (world.triggers[0], world.triggers[-1]):
            await go(dash, f"/triggers/{trigger_id}")
            for name in ("Pause with a note", "Delete"):
                await dash.button("Actions").click()
                item = dash.page.get_by_role("menuitem", name=name)
                await expect(dash.page.get_by_role("menu")).to_be_visible()
                if await item.count():
                    await item.click()
                    await settle(dash)
                    await check(dash)
                await shut(dash)
            await press(dash, "Edit")
            await shut(dash)
        assert elsewhere == []
        assert dash.troubles == []


async def test_nothing_is_run_in_menus_and_dialogs_of_the_server(browser: Browser, world: World) -> None:
    async with watched(browser, world, "super_admin") as (dash, elsewhere):
        await begin(dash)
        await press(dash, "Tenant: all tenants")
        await shut(dash)
        for path, names in DIALOGS.items():
            await go(dash, path.format(definition=quote(world.definitions[0], safe="")))
            for name in names:
                await press(dash, name)
                await shut(dash)
        assert elsewhere == []
        assert dash.troubles == []


async def test_nothing_in_an_address_is_run(dash: Dash) -> None:
    await begin(dash)
    for text in STRINGS:
        await dash.page.evaluate(ADDRESS, text)
    await expect(dash.page.get_by_role("combobox", name="Search jobs")).to_be_visible()
    await check(dash)


async def press(dash: Dash, name: str | re.Pattern[str]) -> None:
    """Open what a button opens."""
    await dash.button(name).first.click()
    await settle(dash)
    await check(dash)


async def shut(dash: Dash) -> None:
    """Close what is open, by the key."""

    async def is_shut() -> bool:
        await dash.page.keyboard.press("Escape")
        return await dash.page.locator("dialog[open], [role=menu], [role=listbox]").count() == 0

    await until("nothing is open", is_shut)


async def begin(dash: Dash) -> None:
    """At the overview, with hostile views kept in the browser."""
    await dash.open("/")
    views = json.dumps([{"q": text, "status": text} for text in STRINGS])
    await dash.page.evaluate("(views) => localStorage.setItem('headrace.jobs.views', views)", views)
    await begin_at(dash, "/")
    await dash.page.evaluate(LISTEN)


def addresses(name: str, world: World) -> list[str]:
    """One screen, or one for each of what there is."""
    match name:
        case "job":
            return [f"/jobs/{job_id}" for job_id in world.jobs]
        case "trigger":
            return [f"/triggers/{trigger_id}" for trigger_id in world.triggers]
        case "definition":
            return [f"/definitions/{quote(key, safe='')}" for key in world.definitions]
        case _:
            return [SCREENS[name]]


async def visit(dash: Dash, path: str) -> set[str]:
    """A screen and its further pages; the strings that stood there as text."""
    await go(dash, path)
    seen: set[str] = set()
    while True:
        seen.update(await dash.page.evaluate(SEEN, STRINGS))
        await dash.page.evaluate(UNFOLD)
        await settle(dash)
        await check(dash)
        older = dash.page.locator("#main").get_by_role("link", name=OLDER)
        if not await older.count():
            return seen
        await older.first.click()
        await settle(dash)


async def check(dash: Dash) -> None:
    """Nothing has run, nothing was refused, and nothing is there that a string would make."""
    assert await dash.page.evaluate(FOREIGN, LINKS) == NOTHING, dash.page.url
