"""Change: what an operator may set of a definition. The table's own trigger tells the workers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypedDict

import asyncpg

from headrace.db.connect import Connection
from headrace.db.sqlstate import translated_errors
from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound
from headrace.model.definition import QUEUE
from headrace.model.field_context import field_context
from headrace.model.limits import KEY, MOST

SQL = statements(__file__)
RANGES: Mapping[str, tuple[float, float]] = {
    "priority": (0, 1000),
    "max_attempts": (1, 1000),
    "timeout_seconds": (0.001, 31_536_000),
    "retry_base_seconds": (0, 31_536_000),
    "retry_cap_seconds": (0, 31_536_000),
    "retry_jitter_seconds": (0, 31_536_000),
    "max_concurrency": (1, MOST),
    "max_concurrency_per_key": (1, MOST),
    "rate_limit": (1, MOST),
    "rate_period_seconds": (0.001, 31_536_000),
    "rate_burst": (1, MOST),
    "retention_days": (0, 3650),
    "retention_count": (1, MOST),
}
COUNTS = ("max_concurrency", "max_concurrency_per_key", "rate_limit", "rate_burst", "retention_count")
WHOLE = ("priority", "max_attempts", *COUNTS)
# Null: no timeout, no limit, and history for as long as the configuration says.
MAY_BE_NONE = ("timeout_seconds", "concurrency_key", "retention_days", *COUNTS)
# Two settings that do not go together.
TOGETHER = {
    "per_key_needs_a_key": ("concurrency_key", "A limit for each key needs a concurrency_key."),
    "burst_needs_a_rate": ("rate_burst", "rate_burst needs a rate_limit."),
}


class DefinitionChanges(TypedDict, total=False):
    """Settings to change; some may be none."""

    enabled: bool
    queue: str
    priority: int
    max_attempts: int
    timeout_seconds: float | None
    retry_base_seconds: float
    retry_cap_seconds: float
    retry_jitter_seconds: float
    max_concurrency: int | None
    concurrency_key: str | None
    max_concurrency_per_key: int | None
    rate_limit: int | None
    rate_period_seconds: float
    rate_burst: int | None
    rate_per_key: bool
    retention_days: float | None
    retention_count: int | None


async def change_definition(conn: Connection, key: str, changes: Mapping[str, Any]) -> None:
    """Set some of a definition's settings, or `BadRequest` with the one that will not do. It holds from now on."""
    for name, value in changes.items():
        _check(name, value)
    try:
        found = await conn.fetchval(SQL["change_definition"], key, json.dumps(dict(changes)))
    except asyncpg.CheckViolationError as error:
        field, problem = TOGETHER[str(error.constraint_name)]
        raise BadRequest(problem, field=field) from None
    if not found:
        raise NotFound(f'unknown definition "{key}"')
    if "queue" in changes:
        await conn.execute(SQL["ensure_lane"], key)


async def pause_definition(conn: Connection, key: str, *, note: str, by: str, resume_at: datetime | None) -> None:
    """None of its jobs are claimed, until it is resumed or until then."""
    if not await conn.fetchval(SQL["pause_definition"], key, note, by, resume_at):
        raise NotFound(f'unknown definition "{key}"')


async def resume_definition(conn: Connection, key: str) -> bool:
    """Whether it stood still."""
    return bool(await conn.fetchval(SQL["resume_definition"], key))


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
        with field_context("function"):
            raise error from None


def _check(name: str, value: Any) -> None:
    if name not in DefinitionChanges.__annotations__:
        known = ", ".join(DefinitionChanges.__annotations__)
        raise BadRequest(f"A definition has no {name} to change; there are {known}.", field=name)
    if value is None and name in MAY_BE_NONE:
        return
    if name in ("enabled", "rate_per_key"):
        if not isinstance(value, bool):
            raise BadRequest(f"{name} is true or false, not {value!r}.", field=name)
    elif name == "concurrency_key":
        if not isinstance(value, str) or not KEY.fullmatch(value):
            raise BadRequest(
                f'concurrency_key is a path such as "provider.id" or "[a, b.c]", not {value!r}.', field=name
            )
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
