"""Deleting rows of a table whose time has run out, a small batch at a time so that nobody waits."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Literal, NamedTuple, TypedDict

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest

SQL = statements(__file__)
BATCH = 1000
NAME = re.compile(r"(?:([A-Za-z_][A-Za-z0-9_$]{0,62})\.)?([A-Za-z_][A-Za-z0-9_$]{0,62})")


class DeleteRule(NamedTuple):
    """A row goes when any of the times in these columns lies longer ago than `keep`; one without such a time stays.

    Where not all of the columns are `needed`, a table that lacks one is judged by the others.
    """

    table: str
    columns: tuple[str, ...]
    keep: timedelta
    batch: int = BATCH
    needed: bool = True


class Deleted(TypedDict, total=False):
    """How many rows went, or why none was looked at."""

    table: str
    deleted: int
    skipped: str


async def delete_rows(conn: Connection, rule: DeleteRule) -> Deleted:
    """Not within a transaction: each batch is one. A row that somebody has locked is left for the next time."""
    schema, table = split_name(rule.table)
    known = await conn.fetchval(SQL["list_columns"], schema, table)
    if known is None:
        return Deleted(table=f"{schema}.{table}", skipped="the table does not exist")
    missing = [column for column in rule.columns if column not in known]
    if missing and (rule.needed or len(missing) == len(rule.columns)):
        raise BadRequest(f"the table {schema}.{table} has no column {', '.join(missing)}")
    deleted = 0
    for column in rule.columns:
        if column in known:
            statement = await conn.fetchval(SQL["write_delete"], schema, table, column)
            while batch := await conn.fetchval(statement, rule.keep, rule.batch):
                deleted += batch
    return Deleted(table=f"{schema}.{table}", deleted=deleted)


async def delete_expired(
    conn: Connection, what: Literal["session", "token", "operation", "audit"], keep: timedelta
) -> Deleted:
    """The same for rows of ours that the login of a worker may not read."""
    deleted = 0
    while batch := await conn.fetchval(SQL["delete_expired"], what, keep, BATCH):
        deleted += batch
    return Deleted(table=f"headrace.{what}", deleted=deleted)


def split_name(name: str) -> tuple[str, str]:
    """Schema and table, or `BadRequest`; without a schema it is `public`."""
    found = NAME.fullmatch(name)
    if found is None:
        raise BadRequest(f"{name!r} is not the name of a table, for example public.sessions")
    return found[1] or "public", found[2]
