"""The function of a SQL job: found anew at every run, for it may have been replaced or dropped since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)


@dataclass(frozen=True, slots=True)
class SqlFunction:
    """A function by its names, as the definition has them: not quoted."""

    schema: str
    name: str
    signature: Literal["()", "(jsonb)"]

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}{self.signature}"


class NotRunnable(Exception):
    """The function cannot be run as it is now."""


async def find_call(conn: Connection, function: SqlFunction, *, allowed: Collection[str]) -> str:
    """The statement that calls the function and reads its answer, or `NotRunnable`; its parameters are `answer`'s."""
    if function.schema not in allowed:
        raise NotRunnable(
            f"the function {function} cannot be run: schema {function.schema} is not one of sql.allowed_schemas "
            f"({', '.join(sorted(allowed)) or 'none'})"
        )
    row = await conn.fetchrow(SQL["find_function"], function.schema, function.name, function.signature)
    problem = "the function does not exist" if row is None else row["problem"]
    if row is None or problem is not None:
        raise NotRunnable(f"the function {function} cannot be run: {problem}")
    call: str = row["call"]
    return call
