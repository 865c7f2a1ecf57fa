"""Sync: the database follows the code, and the code respects the operator."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from tests.waiting import until

from headrace.db.connect import Connection, Endpoint
from headrace.define.sync import retire_definitions, sync_definitions
from headrace.errors import Conflict
from headrace.model.definition import Definition, declare
from headrace.model.job.retry import RetryPolicy
from headrace.model.trigger.declaration import TriggerDeclaration
from headrace.queue.lease import WorkerIdentity, register_worker

EVERY_FIVE = TriggerDeclaration("work", {"every_seconds": 5.0})
SAID: dict[str, Any] = {"description": "Works.", "tags": ("a", "b"), "payload_schema": {"type": "object"}}
WORK = declare("work", **SAID)
MINUTES = timedelta(minutes=2)
WHO = WorkerIdentity("there", "there", 1, "1", ("*",), ("work",), 1, MINUTES)


def work(key: str = "work", **options: Any) -> Definition:
    return declare(key, **(SAID | options))


async def row(conn: Connection, key: str = "work") -> asyncpg.Record:
    found = await conn.fetchrow("select *, xmin::text as version from headrace.definition where key = $1", key)
    assert found is not None
    return found


async def columns(conn: Connection, *names: str) -> list[Any]:
    found = await row(conn)
    return [found[name] for name in names]


async def lanes(conn: Connection) -> list[tuple[str, str]]:
    rows = await conn.fetch(
        "select lane.queue, d.key from headrace.lane join headrace.definition d on d.id = definition_id order by 1"
    )
    return [(lane[0], lane[1]) for lane in rows]


async def test_a_new_definition_is_added_with_its_lane(connection: Connection) -> None:
    declared = work(
        queue="mail",
        priority=7,
        timeout=timedelta(seconds=9),
        triggers=(EVERY_FIVE,),
    )
    report = await sync_definitions(connection, [declared], app="shop")
    assert (report.added, report.changed, report.deleted_from_code) == (["work"], [], [])
    assert report
    names = ("kind", "app", "description", "tags", "queue", "priority", "max_attempts", "timeout_seconds", "enabled")
    assert await columns(connection, *names) == [
        "python",
        "shop",
        "Works.",
        ["a", "b"],
        "mail",
        7,
        4,
        9.0,
        True,
    ]
    assert '"every_seconds": 5.0' in (await row(connection))["triggers"]
    assert await lanes(connection) == [("mail", "work")]


async def test_what_did_not_change_is_not_written(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    before = await row(connection)
    report = await sync_definitions(connection, [WORK], app="shop")
    assert not report
    assert (await row(connection))["version"] == before["version"]
    assert await lanes(connection) == [("default", "work")]


async def test_a_change_of_code_is_followed(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    changed = declare(
        "work",
        description="Works better.",
        queue="fast",
        priority=1,
        max_attempts=9,
        timeout=timedelta(seconds=2),
        retry=RetryPolicy(timedelta(seconds=1), timedelta(seconds=2), timedelta(seconds=0)),
    )
    report = await sync_definitions(connection, [changed], app="shop")
    assert (report.added, report.changed) == ([], ["work"])
    names = ("description", "tags", "queue", "priority", "max_attempts", "timeout_seconds")
    assert await columns(connection, *names) == ["Works better.", [], "fast", 1, 9, 2.0]
    retry = ("retry_base_seconds", "retry_cap_seconds", "retry_jitter_seconds")
    assert await columns(connection, *retry) == [1.0, 2.0, 0.0]
    assert await lanes(connection) == [("default", "work"), ("fast", "work")]


OPERATOR: list[tuple[str, Any, dict[str, Any]]] = [
    ("queue", "special", {"queue": "fast"}),
    ("priority", 1, {"priority": 50}),
    ("max_attempts", 20, {"max_attempts": 5}),
    ("timeout_seconds", 77.5, {"timeout": timedelta(seconds=5)}),
    ("retry_base_seconds", 11.0, {"retry": RetryPolicy(base=timedelta(seconds=1))}),
    ("retry_cap_seconds", 12.0, {"retry": RetryPolicy(cap=timedelta(seconds=9))}),
    ("retry_jitter_seconds", 13.0, {"retry": RetryPolicy(jitter=timedelta(seconds=9))}),
    ("retention_days", 3.5, {"retention_days": 7}),
    ("retention_count", 5, {"retention_count": 9}),
    ("enabled", False, {}),
]


async def test_an_operators_change_survives_a_change_of_code_until_forced(connection: Connection) -> None:
    for column, value, said in OPERATOR:
        key = f"work-{column}"
        first = replace(WORK, key=key)
        await sync_definitions(connection, [first], app="shop", complete=False)
        default = (await row(connection, key))[column]
        await connection.execute(f"update headrace.definition set {column} = $1 where key = $2", value, key)
        # The code changes the very same setting, twice: the operator's word stays.
        for description in ("second", "third"):
            changed = work(key, description=description, **said)
            await sync_definitions(connection, [changed], app="shop", complete=False)
            found = await row(connection, key)
            assert (found[column], found["description"]) == (value, description), column
        await sync_definitions(connection, [changed], app="shop", complete=False, force=True)
        wanted = {**changed.declared, "enabled": True}[column]
        assert (await row(connection, key))[column] == wanted, column
        assert wanted != value
        assert default != value


async def test_a_setting_that_the_operator_left_alone_follows_though_another_does_not(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    await connection.execute("update headrace.definition set priority = 1")
    await sync_definitions(connection, [work(priority=50, max_attempts=8)], app="shop")
    assert await columns(connection, "priority", "max_attempts") == [1, 8]


async def test_a_timeout_that_the_operator_removed_stays_removed(connection: Connection) -> None:
    timed = work(timeout=5)
    await sync_definitions(connection, [timed], app="shop")
    await connection.execute("update headrace.definition set timeout_seconds = null")
    await sync_definitions(connection, [work(timeout=5, description="new")], app="shop")
    assert await columns(connection, "timeout_seconds") == [None]


async def test_a_setting_that_older_code_does_not_know_keeps_an_operators_change(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    await connection.execute("update headrace.definition set priority = 1")
    # What an older process declares has no word for the setting.
    await connection.execute(
        "update headrace.definition set declared = declared || '{\"queue\": \"default\"}', hash = 'old'"
    )
    await sync_definitions(connection, [work(description="new")], app="shop")
    assert await columns(connection, "priority") == [1]


async def test_force_resets_even_what_the_code_did_not_change(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    await connection.execute("update headrace.definition set priority = 1, enabled = false")
    assert not await sync_definitions(connection, [WORK], app="shop")
    await sync_definitions(connection, [WORK], app="shop", force=True)
    assert await columns(connection, "priority", "enabled") == [100, True]


async def test_what_left_the_code_is_marked_and_refused_until_it_comes_back(connection: Connection) -> None:
    other = replace(WORK, key="other")
    await sync_definitions(connection, [WORK, other], app="shop")
    report = await sync_definitions(connection, [other], app="shop")
    assert report.deleted_from_code == ["work"]
    assert (await row(connection))["deleted_from_code_at"] is not None
    assert (await row(connection, "other"))["deleted_from_code_at"] is None
    with pytest.raises(asyncpg.PostgresError, match='definition "work" was removed from the code') as refused:
        await connection.execute("select headrace.enqueue('work')")
    assert refused.value.sqlstate == "HR409"

    assert not await sync_definitions(connection, [other], app="shop")  # marked once, not again and again
    assert (await sync_definitions(connection, [WORK, other], app="shop")).changed == ["work"]
    assert (await row(connection))["deleted_from_code_at"] is None
    await connection.execute("select headrace.enqueue('work')")


async def test_another_apps_definitions_are_left_alone(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    assert (await sync_definitions(connection, [replace(WORK, key="mine")], app="mine")).deleted_from_code == []
    assert (await sync_definitions(connection, [], app="mine")).deleted_from_code == ["mine"]
    assert (await row(connection))["deleted_from_code_at"] is None


async def test_an_incomplete_sync_marks_nothing(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    report = await sync_definitions(connection, [replace(WORK, key="other")], app="shop", complete=False)
    assert (report.added, report.deleted_from_code) == (["other"], [])
    assert (await row(connection))["deleted_from_code_at"] is None


async def define_sql_job(conn: Connection) -> None:
    await conn.execute(
        "create or replace function public.work() returns jsonb language sql as $$select '{}'::jsonb$$;"
        "select headrace.define_sql_job('work', 'public.work()')"
    )


async def test_a_key_that_a_sql_job_has_is_refused_with_a_way_out(connection: Connection) -> None:
    await define_sql_job(connection)
    for force in (False, True):
        with pytest.raises(Conflict, match="definition 'work' is a SQL job of app 'sql' already: ") as refused:
            await sync_definitions(connection, [replace(WORK, key="other"), WORK], app="shop", force=force)
        assert "select headrace.undefine_sql_job('work')" in str(refused.value)
    assert await columns(connection, "kind", "function_name") == ["sql", "work"]
    assert await connection.fetchval("select count(*) from headrace.definition") == 1

    await connection.execute("select headrace.undefine_sql_job('work')")
    assert (await sync_definitions(connection, [WORK], app="shop")).changed == ["work"]
    assert await columns(connection, "kind", "app", "function_name") == ["python", "shop", None]
    await connection.execute("drop function public.work()")


async def test_a_key_that_a_command_has_is_refused_until_it_is_forced(connection: Connection) -> None:
    command = replace(WORK, kind="command")
    await sync_definitions(connection, [command], app="commands", complete=False)
    with pytest.raises(Conflict, match=r"'work' is a command of app 'commands' already: .*\[commands\.work\].*--force"):
        await sync_definitions(connection, [WORK], app="shop")
    assert await columns(connection, "kind", "app") == ["command", "commands"]
    assert (await sync_definitions(connection, [WORK], app="shop", force=True)).changed == ["work"]
    assert await columns(connection, "kind", "app") == ["python", "shop"]


async def test_a_command_does_not_take_the_key_of_a_job_in_code_until_that_is_gone(connection: Connection) -> None:
    command = replace(WORK, kind="command")
    await sync_definitions(connection, [WORK], app="shop")
    with pytest.raises(Conflict, match=r"'work' is a Python job of app 'shop' already: .* code of that app"):
        await sync_definitions(connection, [command], app="commands", complete=False)
    await sync_definitions(connection, [], app="shop")
    assert (await sync_definitions(connection, [command], app="commands", complete=False)).changed == ["work"]


async def test_an_operators_queue_has_its_lane_after_a_sync(connection: Connection) -> None:
    await sync_definitions(connection, [WORK], app="shop")
    await connection.execute("update headrace.definition set queue = 'special'")
    await sync_definitions(connection, [WORK], app="shop")
    assert ("special", "work") in await lanes(connection)


async def test_syncs_of_many_processes_at_once_take_turns(database_url: str) -> None:
    keys = [f"work{n}" for n in range(20)]
    connections = [await Endpoint(database_url).connect("test") for _ in range(4)]
    try:
        reports = await asyncio.gather(
            *(
                # Each with other words and in another order, so that all of them write all rows.
                sync_definitions(
                    conn,
                    [work(key, description=str(n)) for key in (keys if n % 2 else reversed(keys))],
                    app="shop",
                )
                for n, conn in enumerate(connections)
            )
        )
        assert sorted(len(report.added) for report in reports) == [0, 0, 0, 20]
        assert sorted(len(report.changed) for report in reports) == [0, 20, 20, 20]
    finally:
        for conn in connections:
            await conn.close()


async def test_a_sync_waits_for_another_that_is_under_way(database_url: str, connection: Connection) -> None:
    second = await Endpoint(database_url).connect("test")
    pid = await second.fetchval("select pg_backend_pid()")
    waits = (
        "select exists (select from pg_locks"
        " where pid = $1 and relation = 'headrace.definition'::regclass and not granted)"
    )
    try:
        async with connection.transaction():
            await sync_definitions(connection, [WORK], app="shop")
            later = asyncio.create_task(sync_definitions(second, [WORK], app="shop"))
            await until("the second sync waits", lambda: connection.fetchval(waits, pid))
            assert not later.done()
        assert not await later
    finally:
        await second.close()


async def test_what_was_kept_for_others_is_gone_once_nobody_has_served_it_for_a_while(connection: Connection) -> None:
    async def retired(app: str) -> list[str]:
        async with connection.transaction():
            return await retire_definitions(connection, ["work"], app=app, unserved_for=MINUTES)

    worker = await register_worker(connection, WHO)
    await sync_definitions(connection, [WORK], app="shop")
    for state in ("live", "stopped"):
        await connection.execute("update headrace.worker set state = $2 where id = $1", worker, state)
        assert await retired("shop") == []
    await connection.execute("update headrace.worker set heartbeat_at = heartbeat_at - $1::interval", 2 * MINUTES)
    assert await retired("mine") == []
    assert await retired("shop") == ["work"]
    assert await retired("shop") == []
