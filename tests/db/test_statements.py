"""Every statement beside a module is one that PostgreSQL understands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
from tests.engine import Engine

import headrace
from headrace.db.statements import read_statements
from headrace.model.job.outcome import Failed

SOURCE = Path(headrace.__file__).parent
# Several commands in one text: executed, for only one command can be prepared.
SEVERAL = {"take_lock", "prepare_history"}
# What migrate applies as a whole, and schema.sql, which is for reading.
WHOLE = {"schema", "functions", "views.sql", "table_triggers.sql", "schema.sql"}


def files() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.sql") if path.parent.name not in WHOLE and path.name not in WHOLE)


def named_statements() -> Iterator[tuple[str, str, str]]:
    for path in files():
        for name, text in read_statements(path).items():
            yield str(path.relative_to(SOURCE)), name, text


def test_every_file_stands_beside_a_module_and_has_statements() -> None:
    assert len(files()) >= 9
    for path in files():
        assert path.with_suffix(".py").exists(), path
        assert read_statements(path), path


def test_every_statement_is_used_by_the_module_beside_it() -> None:
    for file, name, _ in named_statements():
        assert f'SQL["{name}"]' in (SOURCE / file).with_suffix(".py").read_text(), f"{file}: {name}"


def test_a_name_is_followed_by_its_statement_and_nothing_of_the_next(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    file.write_text(
        "-- About the file.\n\n-- name: first\nselect 1\n\n-- Why.\n-- And how.\n-- name: second_one\n"
        "select 2,\n  -- the third\n  3;\n"
    )
    assert read_statements(file) == {"first": "select 1", "second_one": "select 2,\n  -- the third\n  3;"}


def test_a_part_is_included_where_a_statement_names_it(tmp_path: Path) -> None:
    file = tmp_path / "x.sql"
    file.write_text(
        "-- name: first\nselect a,\n       -- include: rest\n  from x\n\n"
        "-- Why.\n-- part: rest\n       b,\n       c\n\n"
        "-- name: second\nselect\n  -- include: rest\n"
    )
    rest = "       b,\n       c"
    assert read_statements(file) == {"first": f"select a,\n{rest}\n  from x", "second": f"select\n{rest}"}


def test_every_part_is_used() -> None:
    for file in files():
        text = file.read_text("utf-8")
        parts = set(re.findall(r"^-- part: (\w+)$", text, re.MULTILINE))
        assert parts == set(re.findall(r"^ *-- include: (\w+)$", text, re.MULTILINE)), file


def test_no_statement_has_the_comment_of_the_next() -> None:
    ends = [(file, name) for file, name, text in named_statements() if text.splitlines()[-1].startswith("--")]
    assert ends == []
    comments = re.compile(r"^-- (?!name:|part:).*(?=\n(?:--.*\n)*-- (?:name|part):)", re.MULTILINE)
    for file in files():
        whole = "\n".join(read_statements(file).values())
        assert [one for one in comments.findall(file.read_text("utf-8")) if one in whole] == [], file


async def test_every_statement_prepares_against_the_schema_wherever_the_search_path_leads(engine: Engine) -> None:
    # The tests' own role is called headrace, so that an unqualified name would be found by accident.
    await engine.db.execute("set search_path = ''")
    failures = []
    for file, name, text in named_statements():
        try:
            async with engine.db.transaction():
                if name in SEVERAL:
                    await engine.db.execute(text)
                else:
                    await engine.db.prepare(text)
        except asyncpg.PostgresError as error:
            failures.append(f"{file}: {name}: {error}")
    assert failures == []
    assert len(list(named_statements())) > 30


async def test_the_functions_work_wherever_the_search_path_leads(engine: Engine) -> None:
    await engine.db.execute("set search_path = ''")
    job_id = await engine.enqueue(idempotency_key="i", dedupe_key="d", max_attempts=1)
    assert await engine.enqueue(idempotency_key="i", dedupe_key="d", max_attempts=1) == job_id
    worker = await engine.worker()
    (held,) = await engine.claim(worker)
    await engine.finish(worker, held, Failed("no"))
    assert await engine.status(job_id) == "dead_letter"
    assert await engine.db.fetchval("select headrace.retry($1)", job_id)
    assert await engine.db.fetchval("select headrace.cancel($1)", job_id)
    assert await engine.status(job_id) == "canceled"
    await engine.db.execute("select headrace.enqueue('work', scheduled_for => now() + interval '1 hour')")
    await engine.enqueue()
    await engine.claim(worker)
    await engine.lose(worker)
    assert await engine.rescue() == 1
    await engine.db.execute("select headrace._create_partitions(9)")
    await engine.db.execute("update headrace.lane set paused = true")
    await engine.db.fetch("table headrace.queue_depth")
    with pytest.raises(asyncpg.PostgresError, match="unknown definition"):
        await engine.db.execute("select headrace.enqueue('nothing')")
