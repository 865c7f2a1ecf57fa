"""Policy: what each definition's jobs are kept by, at one moment of the database's clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.retention import FIRST_ID, Keep, Policy, make_policy

SQL = statements(__file__)


class Policies(NamedTuple):
    """Of every definition, as they were then."""

    now: datetime
    all: list[Policy]

    @property
    def newest(self) -> datetime:
        """What ended after this stays, whatever it is."""
        return max((policy.ended_before for policy in self.all), default=self.now)


async def read_policies(conn: Connection, keep: Keep) -> Policies:
    """What goes now and what stays."""
    now: datetime = await conn.fetchval(SQL["now"])
    policies = []
    for definition_id, key, days, count in await conn.fetch(SQL["list_definitions"]):
        policy = make_policy(definition_id, key, days, keep, now)
        if count is not None:
            policy = replace(policy, keep_from=await _oldest_of_last(conn, definition_id, count))
        policies.append(policy)
    return Policies(now, policies)


async def _oldest_of_last(conn: Connection, definition_id: int, count: int) -> UUID:
    """The id of the oldest that stays; with fewer than so many all of them do."""
    found: UUID | None = await conn.fetchval(SQL["oldest_of_last"], definition_id, count - 1)
    return found or FIRST_ID
