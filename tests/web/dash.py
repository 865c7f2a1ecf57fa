"""A reader of the dashboard, with a tenant of their own, so that tests share a server and nothing else."""

from __future__ import annotations

import json
import re
from asyncio import Event
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from playwright.async_api import Browser, ConsoleMessage, Locator, Page, Route, expect
from tests.waiting import PATIENCE, until
from tests.web.browsing import fresh_page
from tests.web.served import DashboardServer

CLICK_IF_THERE = """(words) => [...document.querySelectorAll("button")]
    .find((button) => button.textContent.trim() === words)?.click()"""
FINAL = ("succeeded", "failed", "dead_letter", "canceled")


@dataclass
class Dash:
    """A page that is signed in, and the API as the same tenant's admin."""

    page: Page
    api: httpx.AsyncClient
    server: DashboardServer
    tenant: str
    troubles: list[str] = field(default_factory=list)

    async def open(self, path: str = "/") -> None:
        """Go to an address, and wait until the shell is there."""
        await self.page.goto(self.server.url + path)
        await expect(self.page.locator("#main")).to_be_attached()

    async def address_has(self, *parts: str) -> None:
        """Wait until the address of the page has each of these."""
        for part in parts:
            await expect(self.page).to_have_url(re.compile(re.escape(part)))

    async def enqueue(self, definition: str, payload: dict[str, Any] | None = None, **options: Any) -> str:
        """A job, by the API."""
        body = {"definition": definition, "payload": payload or {}, **options}
        answer = await self.api.post("/jobs", json=body)
        assert answer.status_code == 201, answer.text
        job_id: str = answer.json()["id"]
        return job_id

    async def job(self, job_id: str) -> dict[str, Any]:
        """As it is."""
        found: dict[str, Any] = (await self.api.get(f"/jobs/{job_id}")).json()
        return found

    async def until(self, job_id: str, *statuses: str) -> None:
        """Wait until the job is in one of these."""

        async def is_so() -> bool:
            return (await self.job(job_id))["status"] in statuses

        await until(f"the job is {' or '.join(statuses)}", is_so)

    async def ended(self, definition: str, payload: dict[str, Any] | None = None, **options: Any) -> str:
        """A job that has ended."""
        job_id = await self.enqueue(definition, payload, **options)
        await self.until(job_id, *FINAL)
        return job_id

    async def trigger(self, name: str = "nightly", definition: str = "greet", **settings: Any) -> str:
        """A trigger, by the API; a schedule that is due each night unless told otherwise."""
        rule = {} if "trigger_type" in settings or "every_seconds" in settings else {"cron": "30 2 * * *"}
        payload = {"payload": {"name": "a"}} if definition == "greet" else {}
        body = {"name": name, "definition": definition, **rule, **payload, **settings}
        answer = await self.api.post("/jobs/triggers", json=body)
        assert answer.status_code == 201, answer.text
        trigger_id: str = answer.json()["id"]
        return trigger_id

    def row(self, job_id: str) -> Locator:
        """Its row in the table."""
        return self.page.locator(f'tr[data-job="{job_id}"]')

    def button(self, name: str | re.Pattern[str], *, exact: bool = False) -> Locator:
        """A button by what it says."""
        return self.page.get_by_role("button", name=name, exact=exact)

    async def refuse(self, pattern: str, status: int = 503, detail: str = "the database took too long") -> None:
        """Have requests answered with a problem, until `allow`."""
        problem = json.dumps({"detail": detail, "code": "broken", "status": status})

        async def answer(route: Route) -> None:
            await route.fulfill(status=status, body=problem, content_type="application/problem+json")

        await self.page.route(pattern, answer)

    async def hold(self, pattern: str) -> Event:
        """Have requests wait until the event is set."""
        release = Event()

        async def late(route: Route) -> None:
            await release.wait()
            await route.continue_()

        await self.page.route(pattern, late)
        return release

    async def allow(self, pattern: str) -> None:
        """As before."""
        await self.page.unroute(pattern)

    async def try_again(self, pattern: str) -> None:
        """The button asks again; then it is allowed, which a page may notice before the reader does."""
        async with self.page.expect_request(pattern):
            await self.button("Try again").click()
        await self.allow(pattern)
        await self.page.evaluate(CLICK_IF_THERE, "Try again")


@asynccontextmanager
async def reading(
    browser: Browser,
    server: DashboardServer,
    tenant: str,
    *,
    role: str = "tenant_admin",
    who: str = "",
    width: int = 1440,
    height: int = 900,
    dark: bool = False,
) -> AsyncIterator[Dash]:
    """Somebody of a role who has signed in; what the page complained of is in `troubles`."""
    with server.as_admin() as admin:
        if admin.get(f"/admin/tenants/{tenant}").status_code == 404:
            limits = {"queues": ["mail"], "most_urgent_priority": 0}
            assert admin.post("/admin/tenants", json={"name": tenant, "limits": limits}).status_code == 201
        own = {} if role == "super_admin" else {"tenant": tenant}
        token = admin.post("/admin/tokens", json={"name": who or f"{role} {tenant}", "role": role, **own}).json()[
            "token"
        ]
        maker = {"name": "shop" if who else "maker", "role": "tenant_admin", "tenant": tenant}
        made = admin.post("/admin/tokens", json=maker).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    async with (
        fresh_page(browser, server.url, width=width, height=height, dark=dark) as page,
        httpx.AsyncClient(base_url=f"{server.url}/api/v1", headers=headers, timeout=PATIENCE) as api,
    ):
        signed_in = await page.context.request.post(
            f"{server.url}/api/v1/session", data={"token": token}, headers={"Origin": server.url}
        )
        assert signed_in.status == 204
        dash = Dash(page, api, server, tenant)
        _note_troubles(page, dash.troubles)
        yield dash


def _note_troubles(page: Page, troubles: list[str]) -> None:
    """Errors, warnings of the console such as a broken policy, and dialogs that nobody asked for."""
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))

    def listen(said: ConsoleMessage) -> None:
        if _is_trouble(said.text):
            troubles.append(f"console: {said.text}")

    page.on("console", listen)

    async def dismiss(dialog: Any) -> None:
        troubles.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    page.on("dialog", dismiss)


def _is_trouble(text: str) -> bool:
    words: Iterable[str] = ("Content Security Policy", "TrustedHTML", "Refused to", "Uncaught", "violat")
    return any(word in text for word in words)
