"""Whether the schema of a database is that of this version: its steps and its function files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, NamedTuple

import asyncpg

from headrace.db.connect import Connection
from headrace.db.function_files import applied_checksums, read_function_files
from headrace.db.migrate import Applied, applied_steps, read_migrations

MOST_NAMES = 5
Kind = Literal["baseline", "missing", "newer", "changed", "functions"]


class Schema(NamedTuple):
    """Steps in order, and the checksum of each function file by its name."""

    steps: Sequence[Applied]
    functions: Mapping[str, str]


class Difference(NamedTuple):
    """What differs first, and in which steps or files."""

    kind: Kind
    names: Sequence[str]


@cache
def known_schema() -> Schema:
    """What this version makes."""
    steps = [Applied(step.number, step.name, step.checksum) for step in read_migrations()]
    return Schema(steps, {file.name: file.checksum for file in read_function_files()})


async def applied_schema(conn: Connection) -> Schema:
    """What the database has: nothing when it was never migrated."""
    try:
        return Schema(await applied_steps(conn), await applied_checksums(conn))
    except asyncpg.UndefinedTableError:
        return Schema([], {})


def find_difference(applied: Schema, known: Schema) -> Difference | None:
    """Of several the one that is to be mended first. A file that this version does not know is no difference."""
    here, ours = ({step.number: step for step in schema.steps} for schema in (applied, known))
    changed = [number for number in here.keys() & ours.keys() if here[number].checksum != ours[number].checksum]
    if known.steps[0].number in changed:
        return Difference("baseline", [here[known.steps[0].number].name])
    if missing := ours.keys() - here.keys():
        return Difference("missing", [ours[number].name for number in sorted(missing)])
    if newer := here.keys() - ours.keys():
        return Difference("newer", [here[number].name for number in sorted(newer)])
    if changed:
        return Difference("changed", [here[number].name for number in sorted(changed)])
    stale = [name for name, checksum in known.functions.items() if applied.functions.get(name) != checksum]
    return Difference("functions", stale) if stale else None


def shortened(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
