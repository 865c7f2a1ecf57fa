"""Each built-in job removes exactly what it says, from tables that have more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
from tests.engine import Engine
from tests.retention.history import DAY, Past
from tests.worker.running import app_on

from headrace import Headrace
from headrace.config import BuiltinSettings, RetentionSettings
from headrace.db.connect import Connection, Endpoint


@pytest.fixture
async def hr(database_url: str) -> AsyncIterator[Headrace]:
    """An open application that keeps jobs for a month and logs for two days."""
    retention = RetentionSettings(jobs_days=30, dead_letters_days=60, logs_days=2, tokens_days=10)
    hr = app_on(database_url, builtin=BuiltinSettings(), retention=retention)
    async with hr:
        yield hr


@pytest.fixture
async def past(connection: Connection, database_url: str) -> Past:
    """Weeks of history."""
    past = Past(Engine(Endpoint(database_url), connection))
    await past.weeks(15)
    await past.define("work")
    return past


async def column(connection: Connection, statement: str) -> list[Any]:
    """The first column, in order."""
    return sorted(row[0] for row in await connection.fetch(statement))


async def test_prune_jobs_keeps_what_is_in_its_time(hr: Headrace, past: Past) -> None:
    await past.job(age=40 * DAY)
    kept = {await past.job(age=20 * DAY), await past.job(age=40 * DAY, final="dead_letter")}
    kept.add(await past.job(age=40 * DAY, final=None))
    done = await hr.builtin.run("prune_jobs")
    assert await past.jobs() == kept
    assert (done["jobs"], done["definitions"], done["complete"]) == (1, {"work": 1}, True)


async def test_prune_jobs_removes_the_rest_of_history_too(hr: Headrace, past: Past, connection: Connection) -> None:
    await connection.execute(
        "insert into headrace.operation (action, filter, expected, created_by, state, finished_at)"
        " select 'cancel', '{}', n, 'test', 'done', now() - n * interval '1 day' from generate_series(20, 40, 20) as n"
    )
    await connection.execute(
        "insert into headrace.operation (action, filter, expected, created_by, created_at)"
        " values ('retry', '{}', 1, 'test', now() - interval '90 days')"
    )
    for table, span in (("rollup", "minute"), ("rollup_hour", "hour")):
        await connection.execute(
            f"insert into headrace.{table} ({span}, tenant_id, definition_id)"
            f" select date_trunc('hour', now()) - n * interval '1 day', 1, 1 from generate_series(20, 40, 20) as n"
        )
    await connection.execute(
        "insert into headrace.audit (at, who, role, action)"
        " select now() - n * interval '1 day', 'test', 'super_admin', n::text from generate_series(300, 400, 50) as n"
    )
    done = await hr.builtin.run("prune_jobs")
    assert (done["operations"], done["rollups"], done["audit"]) == (1, 2, 1)
    assert await column(connection, "select expected from headrace.operation") == [1, 20]
    assert await column(connection, "select action from headrace.audit where who = 'test'") == ["300", "350"]


async def test_prune_logs_removes_days_whose_time_has_run_out(hr: Headrace, connection: Connection) -> None:
    await connection.execute(
        "select headrace._create_log_partition(first - n * interval '1 day', first - (n - 1) * interval '1 day')"
        "  from (select min(lower_bound) as first from headrace.log_partition) as days, generate_series(1, 5) as n"
    )
    # Counted, for the template's own days may be of the day before.
    over = "select count(*)::int from headrace.log_partition where upper_bound <= now() - make_interval(days => $1)"
    assert (two_days := await connection.fetchval(over, 2)) >= 3
    assert await hr.builtin.run("prune_logs") == {"days": two_days}
    assert (one_day := await connection.fetchval(over, 1)) >= 1
    assert await hr.builtin.run("prune_logs", days=1) == {"days": one_day}
    assert await hr.builtin.run("prune_logs") == {"days": 0}


async def test_expired_token_cleanup_keeps_those_that_open_something_or_did_so_lately(
    hr: Headrace, connection: Connection
) -> None:
    times: dict[str, tuple[int | None, int | None]] = {
        "good": (None, None),
        "long": (100, None),
        "expired": (-20, None),
        "just expired": (-5, None),
        "revoked": (100, -20),
        "just revoked": (100, -5),
    }
    for n, (name, (expires, revoked)) in enumerate(times.items()):
        await connection.execute(
            "insert into headrace.token (name, hash, role, created_by, expires_at, revoked_at)"
            " values ($1, sha256($2), 'worker', 'test', now() + $3, now() + $4)",
            name,
            str(n).encode(),
            None if expires is None else timedelta(days=expires),
            None if revoked is None else timedelta(days=revoked),
        )
    done = await hr.builtin.run("expired_token_cleanup")
    assert done == {"table": "headrace.token", "deleted": 2}
    left = await column(connection, "select name from headrace.token")
    assert left == ["good", "just expired", "just revoked", "long"]


async def test_what_is_not_there_is_skipped_clearly(hr: Headrace, connection: Connection) -> None:
    for table in ("alert_delivery", "alert_notice"):
        await connection.execute(f"drop table if exists headrace.{table} cascade")
    skipped = {"skipped": "the table does not exist"}
    assert await hr.builtin.run("webhook_delivery_prune") == [
        {"table": "headrace.alert_delivery", **skipped},
        {"table": "headrace.alert_notice", **skipped},
    ]


async def test_expired_session_cleanup_and_webhook_delivery_prune(hr: Headrace, connection: Connection) -> None:
    await connection.execute(
        "with t as (insert into headrace.token (name, hash, role, created_by)"
        "           values ('x', sha256('x'), 'super_admin', 'x') returning id)"
        " insert into headrace.session (hash, token_id, expires_at)"
        " select sha256(n::text::bytea), t.id, now() + n * interval '1 hour' from t, unnest(array[-200, -1, 5]) as n"
    )
    for table, time in (("alert_notice", "created_at"), ("alert_delivery", "at")):
        await connection.execute(f"drop table if exists headrace.{table} cascade")
        await connection.execute(f"create table headrace.{table} (hours int, {time} timestamptz)")
        await connection.execute(
            f"insert into headrace.{table}"
            " select n, now() + n * interval '1 hour' from unnest(array[-200, -100, -1, 5]) as n"
        )
    assert await hr.builtin.run("expired_session_cleanup") == {"table": "headrace.session", "deleted": 2}
    await hr.builtin.run("webhook_delivery_prune")
    assert await column(connection, "select expires_at > now() from headrace.session") == [True]
    for table in ("alert_delivery", "alert_notice"):
        assert await column(connection, f"select hours from headrace.{table}") == [-100, -1, 5]
    await hr.builtin.run("webhook_delivery_prune", retention_hours=50)
    assert await column(connection, "select hours from headrace.alert_delivery") == [-1, 5]
