"""Rules and definitions: read once for each version of a trigger, and for each batch of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from headrace.aside import by_size
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.model.payload.schema import Check, payload_check
from headrace.model.trigger.delivery import Waiting
from headrace.model.trigger.rule import Rule

SQL = statements(__file__)
MOST_KEPT = 50_000
# Characters of payloads; compiled they take as much, or several times as much.
MOST_TEXT_KEPT = 50_000_000
# So few that an answer fits into a socket's buffer: while a server waits for a client that stands still to read on, it
# does not end the client's transaction, whose locks others wait for.
AT_ONCE = 25
# A trigger's version and its definition's row version: equal ones say the same.
Stamp = tuple[int, int]


class DefinitionTerms(NamedTuple):
    """How jobs of a definition run unless a trigger says otherwise; `obstacle` says why no tenant can have one."""

    version: int
    queue: str
    priority: int
    max_attempts: int
    tenants: Collection[str] | None
    obstacle: str | None
    check: Check

    def obstacle_of(self, tenant: str) -> str | None:
        """Why this tenant can have no job of it."""
        barred = self.tenants is not None and tenant not in self.tenants
        return self.obstacle or ("tenant_not_allowed" if barred else None)


class Rules:
    """What triggers say, compiled. A trigger's version and a definition's row version say whether it is still true."""

    def __init__(self) -> None:
        self._rules: dict[UUID, tuple[int, Rule | BadRequest]] = {}
        self._text = 0
        self._checks: dict[int, tuple[int, Check]] = {}
        self._terms: dict[int, DefinitionTerms] = {}

    async def load(self, conn: Connection, rows: Sequence[Any]) -> None:
        """Read the rules of triggers (id, version) as far as they are not known, and their definitions."""
        if len(self._rules) > MOST_KEPT or self._text > MOST_TEXT_KEPT:
            self._rules.clear()
            self._text = 0
        if unknown := [row["id"] for row in rows if not self._knows(row)]:
            for first in range(0, len(unknown), AT_ONCE):
                found = await conn.fetch(SQL["read_rules"], unknown[first : first + AT_ONCE])
                size = sum(len(row["payload"]) for row in found)
                self._text += size
                self._rules |= await by_size(
                    size, lambda some: {row["id"]: (row["version"], read_rule(row)) for row in some}, found
                )
        rules = (self.rule(row["id"]) for row in self.known(rows))
        await self._load_terms(conn, {rule.definition_id for rule in rules if isinstance(rule, Rule)})

    async def _load_terms(self, conn: Connection, definition_ids: set[int]) -> None:
        rows = await conn.fetch(SQL["read_definitions"], list(definition_ids)) if definition_ids else []
        if stale := [row["id"] for row in rows if self._checks.get(row["id"], (-1,))[0] != row["version"]]:
            for row in await conn.fetch(SQL["read_schemas"], stale):
                self._checks[row["id"]] = row["version"], payload_check(row["payload_schema"])
        for row in rows:
            check = self._checks[row["id"]][1]
            self._terms[row["id"]] = DefinitionTerms._make((*row[1:], check))

    def known(self, rows: Sequence[Any]) -> list[Any]:
        """The rows whose rule was loaded as the row has it: all that are locked, but not one changed meanwhile."""
        return [row for row in rows if self._knows(row)]

    def stamps(self, rows: Sequence[Any]) -> dict[UUID, Stamp]:
        """Which versions the rules of these triggers are, and their definitions; one that is not known has none."""
        return {row["id"]: self._stamp(row) for row in rows}

    def _knows(self, row: Any) -> bool:
        version: int = row["version"]
        return self._rules.get(row["id"], (0,))[0] == version

    def _stamp(self, row: Any) -> Stamp:
        if not self._knows(row):
            return 0, 0
        rule = self.rule(row["id"])
        return row["version"], 0 if isinstance(rule, BadRequest) else self.terms(rule).version

    def waiting(self, trigger_id: UUID, tenant: str) -> Waiting:
        """What is needed to evaluate a trigger, apart from this object, which may learn of changes meanwhile."""
        rule = self.rule(trigger_id)
        if isinstance(rule, BadRequest):
            return Waiting(trigger_id, rule, None, lambda _payload: None)
        terms = self.terms(rule)
        return Waiting(trigger_id, rule, terms.obstacle_of(tenant), terms.check)

    def rule(self, trigger_id: UUID) -> Rule | BadRequest:
        """The rule, or what is wrong with it."""
        return self._rules[trigger_id][1]

    def terms(self, rule: Rule) -> DefinitionTerms:
        """The definition's, as read last."""
        return self._terms[rule.definition_id]

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
