"""A server on which everything that can be stored is hostile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import asyncpg
from playwright.async_api import Browser
from tests.waiting import until
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer
from tests.web.world.hostile import STRINGS

SQL = (Path(__file__).parent / "hostile_world.sql").read_text("utf-8")
TENANT = "looks"
AT_ONCE = 40
# For screens of one thing: many strings in each field, and alone those that would be an address by themselves.
JOINED = [" ".join(STRINGS[n : n + AT_ONCE]) for n in range(0, len(STRINGS), AT_ONCE)]
ADDRESSES = [text for text in STRINGS if text.startswith(("javascript:", "data:"))]
NAMES = [*STRINGS, *JOINED]
# A definition's name is part of an address, where a slash leads elsewhere.
KEYS = [text for text in STRINGS if "/" not in text]


class World(NamedTuple):
    """Where it is, and what of it has a screen of its own."""

    server: DashboardServer
    jobs: list[str]
    triggers: list[str]
    definitions: list[str]


async def fill(browser: Browser, server: DashboardServer) -> World:
    """Run hostile jobs, and write the rest behind the API's back."""
    async with reading(browser, server, TENANT) as dash:
        await _many(dash, "fail", STRINGS)
        await _many(dash, "give_up", STRINGS)
        jobs = [await dash.ended("fail", {"text": text}, correlation_id=text[:500]) for text in ADDRESSES]
        for text in JOINED:
            part = dict.fromkeys(text.split(" "), text)
            jobs.append(await dash.ended("talk", {"lines": 1, "text": text.replace(" <", "\n<")}))
            jobs.append(await dash.ended("keep", {"api_key": "x", "note": text, "nested": part}))
        running = await dash.enqueue("hold", {"say": JOINED[0]}, correlation_id=JOINED[0][:500])
        await dash.until(running, "running")
        await until("all of them have ended", lambda: _is_quiet(dash))
    connection = await asyncpg.connect(server.database_url)
    try:
        await connection.execute("create temp table hostile (n int, s text)")
        await connection.executemany("insert into hostile values ($1, $2)", list(enumerate(NAMES)))
        await connection.execute(SQL.replace("$tenant", TENANT))
        found = await connection.fetch(
            "select id::text from headrace.trigger where name = any($1)",
            [f"{before}{text}" for text in JOINED + ADDRESSES for before in ("", "at ")],
        )
    finally:
        await connection.close()
    return World(server, [*jobs, running], [row["id"] for row in found], [ADDRESSES[0], *KEYS[::9]])


async def _many(dash: Dash, definition: str, texts: list[str]) -> None:
    jobs = [
        {
            "definition": definition,
            "payload": {"text": text},
            "correlation_id": text,
            "dedupe_key": definition + text,
        }
        for text in texts
    ]
    answer = await dash.api.post("/jobs/batch", json={"jobs": jobs})
    assert answer.status_code == 201, answer.text


async def _is_quiet(dash: Dash) -> bool:
    """Only the one that holds runs."""
    counts = (await dash.api.get("/jobs/summary", params={"window": "1h"})).json()
    return bool(counts["queued"] == 0 and counts["scheduled"] == 0 and counts["running"] == 1)


@asynccontextmanager
async def watched(browser: Browser, world: World, role: str) -> AsyncIterator[tuple[Dash, list[str]]]:
    """A reader, and what the page asked of others."""
    async with reading(browser, world.server, TENANT, role=role) as dash:
        elsewhere: list[str] = []
        dash.page.on("request", lambda asked: _note(asked.url, world.server.url, elsewhere))
        yield dash, elsewhere


def _note(url: str, home: str, elsewhere: list[str]) -> None:
    if not url.startswith(home):
        elsewhere.append(url)
