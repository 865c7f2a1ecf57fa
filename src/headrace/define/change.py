"""Change: what an operator may set of a definition. The table's own trigger tells the workers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypedDict

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.about import about
from headrace.model.definition import QUEUE

SQL = statements(__file__)
RANGES: Mapping[str, tuple[float, float]] = {
    "priority": (0, 1000),
    "max_attempts": (1, 1000),
    "timeout_seconds": (0.001, 31_536_000),
    "retry_base_seconds": (0, 31_536_000),
    "retry_cap_seconds": (0, 31_536_000),
    "retry_jitter_seconds": (0, 31_536_000),
}
WHOLE = ("priority", "max_attempts")


class DefinitionChanges(TypedDict, total=False):
    """Settings to change; without a timeout there is none."""

    enabled: bool
    queue: str
    priority: int
    max_attempts: int
    timeout_seconds: float | None
    retry_base_seconds: float
    retry_cap_seconds: float
    retry_jitter_seconds: float


async def change_definition(conn: Connection, key: str, changes: Mapping[str, Any]) -> None:
    """Set some of a definition's settings, or `BadRequest` with the one that will not do. It holds from now on."""
    for name, value in changes.items():
        _check(name, value)
    if not await conn.fetchval(SQL["change_definition"], key, json.dumps(dict(changes))):
        raise NotFound(f'unknown definition "{key}"')
    if "queue" in changes:
        await conn.execute(SQL["ensure_lane"], key)


async def define_sql_job(
    conn: Connection,
    key: str,
    function: str,
    *,
    description: str = "",
    timeout_seconds: float | None = None,
    max_attempts: int | None = None,
) -> None:
    """A definition that calls a function of the database, made or changed."""
    try:
        with translated_errors():
            await conn.execute(SQL["define_sql_job"], key, function, description, timeout_seconds, max_attempts)
    except NotFound as error:
        # The request is there; it is the function that is not.
        raise BadRequest(str(error), field="function") from error
    except BadRequest as error:
        with about("function"):
            raise error from None


def _check(name: str, value: Any) -> None:
    if name not in DefinitionChanges.__annotations__:
        known = ", ".join(DefinitionChanges.__annotations__)
        raise BadRequest(f"A definition has no {name} to change; there are {known}.", field=name)
    if value is None and name == "timeout_seconds":
        return
    if name == "enabled":
        if not isinstance(value, bool):
            raise BadRequest(f"enabled is true or false, not {value!r}.", field=name)
    elif name == "queue":
        if not isinstance(value, str) or not QUEUE.fullmatch(value):
            raise BadRequest(f"queue {value!r} is not a valid name.", field=name)
    else:
        _check_number(name, value)


def _check_number(name: str, value: Any) -> None:
    low, high = RANGES[name]
    kinds = int if name in WHOLE else int | float
    if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value) or not low <= value <= high:
        raise BadRequest(f"{name} is {low:,} to {high:,}, not {value!r}.", field=name)
