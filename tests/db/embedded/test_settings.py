"""The server is durable, its settings are ours, and its log does not grow for ever."""

import contextlib
from pathlib import Path

import psycopg
import pytest
from tests.db.embedded.owners import cluster_of, run_sql

from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.conf import SETTINGS
from headrace.db.embedded.supervise import LOG_BYTES, bound_log


def test_all_our_settings_are_in_effect(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        rows = run_sql(server.url, "select lower(name), current_setting(name) from pg_settings")
        actual = {row[0]: row[1] for row in rows}

    expected = SETTINGS
    assert {name: str(value) for name, value in expected.items()} == {name: actual[name] for name in expected}


def test_settings_of_an_older_release_are_written_anew(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        conf = cluster_of(data_dir).parent / "headrace.conf"
    conf.write_text("max_connections = 7\n")

    with EmbeddedServer.start(data_dir) as server:
        assert run_sql(server.url, "show max_connections") == [("200",)]


def test_alter_system_has_the_last_word(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "alter system set work_mem = '9MB'")
        run_sql(server.url, "alter system set max_connections = 20")
    with EmbeddedServer.start(data_dir) as server:
        assert run_sql(server.url, "select current_setting('work_mem')") == [("9MB",)]
        assert run_sql(server.url, "show max_connections") == [("20",)]


def test_text_is_unicode_and_sorts_by_code_point(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        assert run_sql(server.url, "select upper('ä'), 'Z' < 'a'") == [("Ä", True)]


def test_a_server_full_of_connections_counts_as_up(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "alter system set max_connections = 5")
    with EmbeddedServer.start(data_dir) as server, contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(contextlib.closing(psycopg.connect(server.url)))
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            psycopg.connect(server.url)

        with EmbeddedServer.start(data_dir) as second:
            assert second.url == server.url


def test_a_long_log_is_put_aside_at_start(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        pass
    log = data_dir / "postgres.log"
    log.write_bytes(b"old\n" * (LOG_BYTES // 4 + 1))

    with EmbeddedServer.start(data_dir):
        assert "ready to accept connections" in log.read_text()
        assert log.stat().st_size < LOG_BYTES
        assert log.with_name("postgres.log.1").stat().st_size == LOG_BYTES


def test_a_log_can_be_emptied_while_the_server_writes_it(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        log = data_dir / "postgres.log"
        with log.open("ab") as file:
            file.write(b"x" * LOG_BYTES)

        bound_log(str(log))
        with pytest.raises(psycopg.errors.DivisionByZero):
            run_sql(server.url, "select 1/0")

        assert "division by zero" in log.read_text()
        assert log.stat().st_size < 10_000


def test_a_name_without_a_schema_lies_in_public_and_not_among_our_tables(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "create schema headrace")
        run_sql(server.url, "create table cart ()")
        assert run_sql(server.url, "select 'public.cart'::regclass::text") == [("cart",)]


def test_a_search_path_that_an_operator_chose_stays(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "alter role headrace set search_path = shop, public")
    with EmbeddedServer.start(data_dir) as server:
        assert run_sql(server.url, "show search_path") == [("shop, public",)]
