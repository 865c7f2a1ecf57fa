"""A schema with functions to run, a role that may run them, and a few words to do it."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

from tests.waiting import until

from headrace.db.connect import Connection
from headrace.executors.sql import SqlEnded, SqlExecutor, SqlFunction
from headrace.model.job.outcome import Failed, Succeeded, TimedOut

SCHEMA = "app"
DONE = """return '{"success": true, "message": "done"}';"""
KEEP = "insert into app.kept values ('work');"
SWALLOW = """
  loop
    begin
      perform pg_sleep(60);
    exception when query_canceled then null;
    end;
  end loop;
"""


def quoted(name: str) -> str:
    """An identifier as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


class SqlBench:
    """The executor under its own role, and `db` for the superuser who looks on."""

    def __init__(self, db: Connection, executor: SqlExecutor, url: str, major: int) -> None:
        self.db = db
        self.executor = executor
        self.url = url
        self.major = major
        self.notices: list[tuple[str, str]] = []

    async def make(self, body: str, *, name: str = "f", takes: str = "payload jsonb", returns: str = "jsonb") -> None:
        """A PL/pgSQL function of that body."""
        await self.db.execute(
            f"create or replace function {SCHEMA}.{quoted(name)}({takes}) returns {returns}"
            f" language plpgsql as $body$ begin {body} end $body$"
        )

    async def run(
        self,
        name: str = "f",
        *,
        payload: str = "{}",
        signature: Literal["()", "(jsonb)"] = "(jsonb)",
        schema: str = SCHEMA,
        timeout: float | None = 20,
        kill_grace: float = 0.2,
    ) -> SqlEnded:
        """Run a function to its end."""
        return await self.executor.run(
            SqlFunction(schema, name, signature),
            payload,
            timeout=timeout,
            kill_grace=kill_grace,
            on_notice=lambda severity, message: self.notices.append((severity, message)),
        )

    async def begin(self, **options: Any) -> asyncio.Task[SqlEnded]:
        """Start a function and wait until it says that it runs."""
        task = asyncio.create_task(self.run(**options))
        await until("the function says that it runs", lambda: bool(self.notices) or task.done())
        assert not task.done(), task.result()
        return task

    async def calls(self) -> int:
        """How many sessions of SQL jobs are in a call."""
        n: int = await self.db.fetchval(
            "select count(*) from pg_stat_activity where datname = current_database() and usename = 'headrace_sql'"
            " and application_name like 'headrace sql app%'"
        )
        return n

    async def signal(self, function: Literal["pg_cancel_backend", "pg_terminate_backend"]) -> None:
        """Do this to every session of SQL jobs here; the server has other tests' too."""
        await self.db.execute(
            f"select {function}(pid) from pg_stat_activity"
            " where datname = current_database() and usename = 'headrace_sql'"
        )

    async def kept(self) -> list[str]:
        """What was committed."""
        return [row[0] for row in await self.db.fetch("select what from app.kept order by what")]


def result(ended: SqlEnded) -> Any:
    """What a success left."""
    assert isinstance(ended.outcome, Succeeded), ended
    assert ended.committed
    assert ended.outcome.result is not None
    return json.loads(ended.outcome.result)


def error(ended: SqlEnded) -> str:
    """The words of a failure."""
    assert isinstance(ended.outcome, Failed), ended
    return ended.outcome.error


def timeout_text(ended: SqlEnded) -> str:
    """The words of a timeout."""
    assert isinstance(ended.outcome, TimedOut), ended
    assert not ended.committed
    return ended.outcome.error
