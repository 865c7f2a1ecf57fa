"""`headrace db` and `headrace definitions` on a real server."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.cli.calling import Shell

from headrace.db.compare import shortened
from headrace.db.connect import Connection, Endpoint
from headrace.db.embedded.binaries import find_install
from headrace.db.function_files import read_function_files
from headrace.db.migrate import migrate, read_migrations

APP = """
from headrace import Headrace

hr = Headrace(app="shop")


@hr.job(max_attempts=4)
async def greet() -> None:
    pass


@hr.job
async def {second}() -> None:
    pass
"""


def test_migrations_are_taken_shown_and_taken_back(tmp_path: Path, empty_database_url: str) -> None:
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=empty_database_url)
    steps = [f"{step.number:04} {step.name}" for step in read_migrations()]
    functions = f"applied functions: {shortened([file.name for file in read_function_files()])}"
    newest = steps[-1]

    before = shell.call("db", "status")
    files = len(read_function_files())
    assert before.out.count("missing") == len(steps)
    assert f"\nfunction files            {files} of {files} differ: " in before.out
    assert before.out.startswith("PostgreSQL 18 (yours)\n")

    taken = shell.call("db", "migrate")
    assert (taken.code, taken.out.splitlines()) == (0, [*(f"applied {step}" for step in steps), functions])
    assert shell.call("db", "migrate").out == "nothing to do: the schema is up to date\n"
    status = shell.call("db", "status").out
    assert status.splitlines()[1:] == [
        *(f"{step:<25} applied" for step in steps),
        "function files            applied",
    ]

    refused = shell.call("db", "rollback", stdin="n\n")
    assert refused.code == 1
    assert shell.call("db", "rollback", "--yes").out == f"rolled back {newest}\n"
    status = shell.call("db", "status").out
    assert status.count("missing") == 1
    agreed = shell.call("db", "rollback", "--steps", "99", stdin="y\n")
    assert agreed.out.count("rolled back") == len(steps) - 1
    assert shell.call("db", "migrate").out.splitlines() == taken.out.splitlines()


@pytest.mark.parametrize("form", ["{user}:hunter%402@", "{user}@{rest}password=hunter%402&sslpassword=hunter%402&"])
def test_psql_has_the_password_and_shows_it_to_no_other_user(
    tmp_path: Path, empty_database_url: str, form: str
) -> None:
    parts = urlsplit(empty_database_url)
    user, host = parts.netloc.split("@")
    login, _, query = form.partition("{rest}")
    netloc = login.format(user=user.partition(":")[0]) + host
    url = parts._replace(netloc=netloc, query=f"{query}{parts.query}").geturl()
    path = f"{find_install().bin_dir}:{os.environ['PATH']}"
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=url, PATH=path)

    said = shell.call("db", "psql", "-At", "-c", "\\! tr '\\0' ' ' < /proc/$PPID/cmdline; echo; echo $PGPASSWORD")
    assert (said.code, said.err) == (0, "")
    arguments, password = said.out.splitlines()
    assert "psql" in arguments
    assert "hunter" not in arguments
    assert password == "hunter@2"
    assert shell.call("db", "psql", "-At", "-c", "select 1").out == "1\n"


async def test_a_changed_function_is_replaced_without_a_step(tmp_path: Path, empty_database_url: str) -> None:
    await execute(
        empty_database_url, "update headrace.function_file set checksum = '-' where name in ('retry', 'cancel')"
    )
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=empty_database_url)
    files = len(read_function_files())
    assert f"function files            2 of {files} differ: cancel, retry\n" in shell.call("db", "status").out
    assert shell.call("db", "migrate").out == "applied functions: cancel, retry\n"
    assert shell.call("db", "migrate").out == "nothing to do: the schema is up to date\n"


async def test_a_database_of_another_baseline_is_refused(tmp_path: Path, empty_database_url: str) -> None:
    await execute(empty_database_url, "update headrace.migration set name = 'nouns', checksum = '-' where number = 1")
    shell = Shell(tmp_path, HEADRACE_DATABASE_URL=empty_database_url)
    status = shell.call("db", "status").out
    assert "0001 nouns                applied with another content\n" in status
    refused = shell.call("db", "migrate")
    assert (refused.code, refused.out) == (5, "")
    assert "the database was made with another baseline, 0001 (nouns)" in refused.err
    assert "headrace db psql -c 'drop schema headrace cascade'" in refused.err


async def execute(url: str, change: str) -> None:
    """Migrate a database, and change what it knows of its schema."""
    await migrate(Endpoint(url))
    conn = await Endpoint(url).connect("test")
    await conn.execute(change)
    await conn.close()


def test_the_url_is_printed(tmp_path: Path, database_url: str) -> None:
    said = Shell(tmp_path, HEADRACE_DATABASE_URL=database_url).call("db", "url")
    assert said == (0, f"{database_url}\n", "")


@pytest.fixture
def shop(tmp_path: Path, database_url: str) -> Shell:
    (tmp_path / "shop.py").write_text(APP.format(second="sell"))
    return Shell(tmp_path, HEADRACE_DATABASE_URL=database_url)


async def test_definitions_are_synced_and_an_operators_changes_stay_unless_forced(
    shop: Shell, connection: Connection
) -> None:
    async def max_attempts() -> object:
        return await connection.fetchval("select max_attempts from headrace.definition where key = 'greet'")

    first = shop.call("definitions", "sync", "shop:hr")
    assert "added    greet\n" in first.out
    assert await max_attempts() == 4
    await connection.execute("update headrace.definition set max_attempts = 9 where key = 'greet'")

    again = shop.call("definitions", "sync", "shop:hr")
    assert (again.code, again.out) == (0, "nothing to do: the database has all declarations\n")
    assert await max_attempts() == 9

    forced = shop.call("definitions", "sync", "shop:hr", "--force")
    assert "changed  greet\n" in forced.out
    assert await max_attempts() == 4


async def test_a_definition_that_left_the_code_is_reported_as_gone(shop: Shell, connection: Connection) -> None:
    assert shop.call("definitions", "sync", "shop:hr").code == 0
    (shop.folder / "shop.py").write_text(APP.format(second="refund"))
    said = shop.call("definitions", "sync", "shop:hr")
    assert "added    refund\n" in said.out
    assert "deleted  sell\n" in said.out
    assert await connection.fetchval(
        "select deleted_from_code_at is not null from headrace.definition where key = 'sell'"
    )
