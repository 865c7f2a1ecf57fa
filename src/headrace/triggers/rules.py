"""Rules and schemas, read once for each version of a trigger and of a definition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.model.payload_schema import Check, payload_check
from headrace.model.trigger import Rule

SQL = statements(__file__)
MOST_KEPT = 50_000


class Rules:
    """What triggers say, compiled. A trigger's version and a definition's row version say whether it is still true."""

    def __init__(self) -> None:
        self._rules: dict[UUID, tuple[int, Rule | BadRequest]] = {}
        self._checks: dict[int, tuple[int, Check]] = {}

    async def load(self, conn: Connection, rows: Sequence[Any]) -> None:
        """Read what the rows' triggers and definitions say, as far as it is not known. Rows of `locked` triggers."""
        if unknown := [row["id"] for row in rows if self._rules.get(row["id"], (0,))[0] != row["version"]]:
            if len(self._rules) > MOST_KEPT:
                self._rules.clear()
            for row in await conn.fetch(SQL["read_rules"], unknown):
                self._rules[row["id"]] = row["version"], read_rule(row)
        definitions = {row["definition_id"]: row["definition_version"] for row in rows}
        if stale := [key for key, version in definitions.items() if self._checks.get(key, (-1,))[0] != version]:
            for row in await conn.fetch(SQL["read_schemas"], stale):
                self._checks[row["id"]] = row["version"], payload_check(row["payload_schema"])

    def rule(self, trigger_id: UUID) -> Rule | BadRequest:
        """The rule, or what is wrong with it."""
        return self._rules[trigger_id][1]

    def check(self, definition_id: int) -> Check:
        """Whether a payload fits the definition."""
        return self._checks[definition_id][1]

    def valid(self, rows: Iterable[Any]) -> tuple[list[tuple[Any, Rule]], dict[UUID, str]]:
        """Rows with their rules, and what is wrong with those that have none."""
        good, bad = [], {}
        for row in rows:
            rule = self.rule(row["id"])
            if isinstance(rule, BadRequest):
                bad[row["id"]] = str(rule)
            else:
                good.append((row, rule))
        return good, bad


def read_rule(row: Any) -> Rule | BadRequest:
    """The rule that a row says, or what is wrong with it: one bad trigger must not stop the others."""
    try:
        return Rule.read(row)
    except BadRequest as error:
        return error
    except Exception as error:
        return BadRequest(f"The trigger cannot be read: {type(error).__name__}: {error}")
