"""`headrace retention`, over a database and over a server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.cli.touring import Cli
from tests.engine import Engine
from tests.retention.history import DAY, Past
from tests.worker.running import app_on, running, worker_of

from headrace.config import BuiltinSettings
from headrace.db.connect import Endpoint


@pytest.fixture
async def past(cli: Cli) -> AsyncIterator[Past]:
    """Weeks of history, and a worker that runs the built-in jobs."""
    url = cli.hr.settings.database.url
    assert url is not None
    connection = await Endpoint(url).connect("test")
    past = Past(Engine(Endpoint(url), connection))
    await past.weeks(15)
    await past.define("work")
    hr = app_on(url, "worker", builtin=BuiltinSettings())
    async with hr, running(worker_of(hr)):
        yield past
    await connection.close()


async def test_retention_is_shown_tried_and_done(cli: Cli, past: Past) -> None:
    gone, kept = await past.job(age=40 * DAY), await past.job(age=40 * DAY, final="dead_letter")
    await cli.ok("definitions", "set", "say_hello", "retention_days=12h", "retention_count=5")
    shown = await cli.ok("retention", "show")
    for words in ("30 days", "90 days", "0.5 days, and the last 5"):
        assert words in shown
    preview = await cli.one("retention", "run", "--dry-run")
    assert [(one["definition"], one["jobs"]) for one in preview["definitions"]] == [("work", 1)]
    said = await cli("retention", "run", "--dry-run")
    assert said.code == 0
    assert "1 job would be removed" in said.out + said.err
    assert {gone, kept} <= await past.jobs()
    assert (await cli.ok("retention", "run", "--timeout", "30s")).startswith("succeeded in ")
    left = await past.jobs()
    assert gone not in left
    assert kept in left
    assert "1 job" in await cli.ok("retention", "show")


async def test_lists_show_headraces_own_when_they_are_asked_to(cli: Cli, past: Past) -> None:
    for words, key in ((("definitions", "list"), "key"), (("schedules", "list"), "name")):
        plain = [one[key] for one in await cli.json(*words)]
        assert not [name for name in plain if name.startswith("headrace.")]
        assert "headrace.prune_jobs" in [one[key] for one in await cli.json(*words, "--system")]
    await cli.ok("retention", "run", "--timeout", "30s")
    assert not [job for job in await cli.json("jobs", "list") if job["tenant"] == "_headrace"]
    assert [job for job in await cli.json("jobs", "list", "--system") if job["tenant"] == "_headrace"]
    assert "headrace" not in [one["queue"] for one in await cli.json("queues", "list")]
    assert "headrace" in [one["queue"] for one in await cli.json("queues", "list", "--system")]
