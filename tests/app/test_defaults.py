"""Settings that jobs and the scheduler take where nobody says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace import Headrace
from headrace.config import CommandSettings, DatabaseSettings, JobsSettings, Settings
from headrace.db.database import Database
from headrace.worker.maintenance.maintenance import LONGEST_SLEEP, UNHEARD_SLEEP, Maintenance
from headrace.worker.process.base import read_commands


def app(retries: int, database_url: str) -> Headrace:
    hr = Headrace(database_url, app="test")
    hr.configure({"jobs.max_retries_default": retries})

    @hr.job
    async def plain() -> None: ...

    @hr.job(max_attempts=7)
    async def exact() -> None: ...

    return hr


async def attempts(hr: Headrace) -> dict[str, int]:
    async with hr.database.pool.acquire() as conn:
        rows = await conn.fetch("select key, max_attempts from headrace.definition")
    return {row["key"]: row["max_attempts"] for row in rows}


async def test_a_job_without_attempts_gets_those_of_the_settings(database_url: str) -> None:
    async with app(0, database_url) as hr:
        assert await attempts(hr) == {"plain": 1, "exact": 7}
        job_id = await hr.enqueue("plain")
        assert (await hr.get_job(job_id)).max_attempts == 1
        await hr.register(lambda: None, key="again", every=3600)
        assert (await attempts(hr))["again"] == 1
    async with app(9, database_url) as hr:
        assert (await attempts(hr))["plain"] == 10


def test_three_retries_are_the_default() -> None:
    hr = Headrace(app="test")
    hr.job("plain")(lambda: None)
    (definition,) = hr.registry.declared()
    assert definition.settings.max_attempts == 4


def test_a_command_without_attempts_gets_them_too() -> None:
    commands = {"plain": CommandSettings(argv=("true",)), "exact": CommandSettings(argv=("true",), max_attempts=7)}
    found = read_commands(Settings(jobs=JobsSettings(max_retries_default=1), commands=commands), {})
    assert {key: handler.definition.settings.max_attempts for key, handler in found.items()} == {"plain": 2, "exact": 7}


@pytest.mark.parametrize(
    ("listening", "tick", "longest"), [(True, 2, 2.0), (True, 99, LONGEST_SLEEP), (False, 99, UNHEARD_SLEEP)]
)
async def test_the_scheduler_sleeps_no_longer_than_told(
    database_url: str, listening: bool, tick: int, longest: float
) -> None:
    hr = app(3, database_url)
    hr.configure({"jobs.scheduler_tick_s": tick})
    async with hr:
        maintenance = Maintenance(
            hr.database.endpoint,
            listening=lambda: listening,
            scheduler=False,
            retention=None,
            longest_sleep=hr.settings.jobs.scheduler_tick_s,
        )
        maintenance.watch.counter = None
        try:
            assert await maintenance.watch.tick() == longest
        finally:
            await maintenance.close()


@pytest.mark.parametrize(("pooler", "pooled"), [("auto", False), ("none", False), ("transaction", True)])
async def test_what_stands_before_the_database_can_be_told(database_url: str, pooler: str, pooled: bool) -> None:
    settings = DatabaseSettings.model_validate({"pooler": pooler})
    database = await Database.open(url=database_url, data_dir=Path("nowhere"), migrated=False, pooler=settings.pooler)
    try:
        assert (database.report.pooled, database.endpoint.pooled) == (pooled, pooled)
    finally:
        await database.close()
