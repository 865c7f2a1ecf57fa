"""`headrace.prune_rows`: rows of tables that the configuration names, and of no others."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.worker.running import app_on, finished, working

from headrace import BadRequest, Headrace
from headrace.builtin.enqueue import enqueue_system_job
from headrace.config import PRESETS, BuiltinSettings, load_settings
from headrace.db.connect import Connection
from headrace.errors import ConfigError
from headrace.model.job.outcome import Fail

# For each ready rule: the columns of a row in hours from now, and whether it stays.
ROWS: dict[str, list[tuple[dict[str, float | None], bool]]] = {
    "sessions": [
        ({"expires_at": -1, "revoked_at": None}, False),
        ({"expires_at": 5, "revoked_at": -1}, False),
        ({"expires_at": 5, "revoked_at": None}, True),
        ({"expires_at": None, "revoked_at": None}, True),
    ],
    "oauth_tokens": [
        ({"expires_at": -25, "revoked_at": None}, False),
        ({"expires_at": 500, "revoked_at": -25}, False),
        ({"expires_at": -23, "revoked_at": None}, True),
        ({"expires_at": 500, "revoked_at": -23}, True),
        ({"expires_at": 500, "revoked_at": None}, True),
    ],
    "oauth_authorization_codes": [
        ({"expires_at": -25, "used_at": None}, False),
        ({"expires_at": 1, "used_at": -25}, False),
        ({"expires_at": -1, "used_at": -1}, True),
        ({"expires_at": 1, "used_at": None}, True),
    ],
    "magic_links": [({"expires_at": -1}, False), ({"expires_at": 1}, True)],
    "password_resets": [({"expires_at": -1}, False), ({"expires_at": 1}, True)],
    "webhook_deliveries": [({"created_at": -169}, False), ({"created_at": -167}, True)],
}


def builtin(**rules: Any) -> BuiltinSettings:
    """Settings with these rules."""
    return BuiltinSettings.model_validate({"prune_rows": rules})


@pytest.fixture
async def hr(database_url: str, connection: Connection) -> AsyncIterator[Headrace]:
    """An open application with every ready rule, and two of its own; its tables go with the test."""
    own = {"table": "shop.cart", "columns": ["left_at"], "retention_hours": 2, "batch_size": 3}
    odd = {"table": "shop.Odd$Table", "columns": ["At"], "retention_hours": 0}
    await connection.execute("create schema shop")
    async with app_on(database_url, builtin=builtin(**{name: {} for name in PRESETS}, cart=own, odd=odd)) as hr:
        yield hr
    await connection.execute("drop schema shop cascade")
    for name in PRESETS:
        await connection.execute(f"drop table if exists public.{name}")


async def fill(connection: Connection, name: str) -> None:
    """A table with the rows of a ready rule, numbered."""
    names = list(ROWS[name][0][0])
    columns = ", ".join(f"{column} timestamptz" for column in names)
    await connection.execute(f"create table public.{name} (n int, {columns})")
    places = ", ".join(f"now() + ${place} * interval '1 hour'" for place in range(2, len(names) + 2))
    for n, (hours, _) in enumerate(ROWS[name]):
        await connection.execute(f"insert into public.{name} values ($1, {places})", n, *hours.values())


async def numbers(connection: Connection, table: str) -> list[int]:
    return [row[0] for row in await connection.fetch(f"select n from {table} order by n")]


def test_there_are_rows_for_every_ready_rule() -> None:
    assert ROWS.keys() == PRESETS.keys()


@pytest.mark.parametrize("name", PRESETS)
async def test_what_expired_or_was_revoked_goes_and_the_rest_stays(
    hr: Headrace, connection: Connection, name: str
) -> None:
    await fill(connection, name)
    done = await hr.builtin.run("prune_rows", name)
    stay = [n for n, (_, stays) in enumerate(ROWS[name]) if stays]
    assert await numbers(connection, f"public.{name}") == stay
    assert done == {"table": f"public.{name}", "deleted": len(ROWS[name]) - len(stay)}


@pytest.mark.parametrize("name", PRESETS)
async def test_a_table_that_is_not_there_is_skipped_clearly(hr: Headrace, name: str) -> None:
    assert await hr.builtin.run("prune_rows", name) == {
        "table": f"public.{name}",
        "skipped": "the table does not exist",
    }


async def test_a_ready_rule_is_content_with_some_of_its_columns(hr: Headrace, connection: Connection) -> None:
    await connection.execute("create table public.sessions (n int, expires_at timestamptz)")
    await connection.execute(
        "insert into public.sessions values (1, now() - interval '1 hour'), (2, now() + interval '1h')"
    )
    await hr.builtin.run("prune_rows", "sessions")
    assert await numbers(connection, "public.sessions") == [2]


async def test_a_table_without_the_column_is_told_and_not_touched(hr: Headrace, connection: Connection) -> None:
    await connection.execute("create table shop.cart (n int, at timestamptz)")
    with pytest.raises(BadRequest, match=r"shop\.cart has no column left_at"):
        await hr.builtin.run("prune_rows", "cart")


async def test_rows_go_in_batches_of_the_size_that_is_said(hr: Headrace, connection: Connection) -> None:
    await connection.execute("create table shop.cart (n int, left_at timestamptz)")
    await connection.execute(
        "insert into shop.cart select n, now() - n * interval '1 hour' from generate_series(1, 10) as n"
    )
    assert (await hr.builtin.run("prune_rows", "cart"))["deleted"] == 9
    assert await numbers(connection, "shop.cart") == [1]


async def test_names_are_quoted(hr: Headrace, connection: Connection) -> None:
    await connection.execute('create table shop."Odd$Table" (n int, "At" timestamptz)')
    await connection.execute("""insert into shop."Odd$Table" values (1, now() - interval '1 s'), (2, 'infinity')""")
    await hr.builtin.run("prune_rows", "odd")
    assert await numbers(connection, 'shop."Odd$Table"') == [2]


async def test_partitions_of_a_table_lose_only_what_may_go(hr: Headrace, connection: Connection) -> None:
    await connection.execute(
        "create table shop.cart (n int, left_at timestamptz) partition by list ((n % 2));"
        "create table shop.cart_0 partition of shop.cart for values in (0);"
        "create table shop.cart_1 partition of shop.cart for values in (1);"
        # Rows at the same places of both, of which only those of one may go.
        "insert into shop.cart select n, now() - (n % 2) * interval '5 hours' from generate_series(1, 10) as n"
    )
    await hr.builtin.run("prune_rows", "cart")
    assert await numbers(connection, "shop.cart") == [2, 4, 6, 8, 10]


async def test_a_row_that_somebody_holds_is_left_and_nobody_waits(
    hr: Headrace, connection: Connection, database_url: str
) -> None:
    await connection.execute("create table shop.cart (n int, left_at timestamptz)")
    await connection.execute(
        "insert into shop.cart select n, now() - interval '9 hours' from generate_series(1, 3) as n"
    )
    async with connection.transaction():
        await connection.execute("select from shop.cart where n = 2 for update")
        assert (await hr.builtin.run("prune_rows", "cart"))["deleted"] == 2
    assert await numbers(connection, "shop.cart") == [2]


@pytest.mark.parametrize("name", ["orders", "public.users", "shop.cart", "sessions; drop table x"])
async def test_a_payload_cannot_name_a_table(hr: Headrace, name: str) -> None:
    with pytest.raises(Fail, match="has no "):
        await hr.builtin.run("prune_rows", name)


async def test_as_a_job_it_does_the_same_and_has_a_schedule(database_url: str, connection: Connection) -> None:
    hr = app_on(database_url, builtin=builtin(sessions={}, webhook_deliveries={"cron": "5 6 * * *"}))
    await fill(connection, "sessions")
    async with working(hr):
        job = await finished(hr, await enqueue_system_job(connection, "headrace.prune_rows", {"name": "sessions"}))
        refused = await finished(hr, await enqueue_system_job(connection, "headrace.prune_rows", {"name": "orders"}))
    assert job.result == {"table": "public.sessions", "deleted": 2}
    assert refused.status == "failed"
    rows = await connection.fetch("select name, cron from headrace.trigger where name ~ ':' order by name")
    assert [tuple(row) for row in rows] == [
        ("headrace.prune_rows:sessions", "0 * * * *"),
        ("headrace.prune_rows:webhook_deliveries", "5 6 * * *"),
    ]
    await connection.execute("drop table public.sessions")


def test_the_ready_rules_run_when_they_should() -> None:
    hours = {name: rule.cron for name, rule in PRESETS.items()}
    assert hours["sessions"] == "0 * * * *"
    assert {rule for name, rule in hours.items() if name != "sessions"} == {"0 3 * * *", "0 4 * * *", "0 5 * * *"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[builtin.prune_rows.mine]\ntable = "x"\n', "mine: columns, retention_hours is missing"),
        ('[builtin.prune_rows.mine]\ntable = "a.b.c"\n', "builtin.prune_rows.mine.table"),
        ('[builtin.prune_rows.mine]\ntable = "x; drop table y"\n', "builtin.prune_rows.mine.table"),
        ('[builtin.prune_rows.mine]\ntable = "headrace.job"\n', "not one of the application's own tables"),
        ('[builtin.prune_rows.mine]\ntable = "pg_catalog.pg_class"\n', "not one of the application's own tables"),
        ('[builtin.prune_rows.sessions]\ncolumns = ["a b"]\n', "is not the name of a column"),
        ("[builtin.prune_rows.sessions]\nbatch_size = 0\n", "1 to 100000"),
        ("[builtin.prune_rows.sessions]\nbatchsize = 1\n", "unknown key"),
        ('[builtin.prune_rows."a b"]\n', "is not a name"),
    ],
)
def test_a_rule_that_will_not_do_is_refused_at_the_start(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "headrace.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_settings(file=file, environ={})
    assert problem in str(refused.value)


async def test_a_bad_cron_is_refused_at_the_start_of_a_worker(database_url: str) -> None:
    hr = app_on(database_url, builtin=builtin(sessions={"cron": "often"}))
    with pytest.raises(ConfigError, match=r"builtin\.prune_rows\.sessions\.cron"):
        async with working(hr):
            pass
