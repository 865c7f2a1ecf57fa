"""Calling a built-in job's function without a job: for applications that have a timer of their own."""

from __future__ import annotations

from typing import Any, Protocol

from headrace.builtin.registry import find_builtin
from headrace.builtin.workplace import Workplace
from headrace.config import Settings
from headrace.db.database import Database


class Open(Protocol):
    """An open application."""

    @property
    def database(self) -> Database: ...

    @property
    def settings(self) -> Settings: ...


class Builtins:
    """`hr.builtin`: the functions behind the built-in jobs, also where `jobs.enabled` is off."""

    def __init__(self, app: Open) -> None:
        self._app = app

    async def run(self, name: str, *arguments: Any, **named: Any) -> Any:
        """Call one here and now, such as `run("prune_rows", "sessions")`; gives back what it did."""
        builtin = find_builtin(name)
        return await builtin.function(Workplace(self._app.database, self._app.settings), *arguments, **named)
