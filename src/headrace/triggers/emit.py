"""Emit: publish an event, in whatever transaction the caller has open."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from headrace.db.statements import statements
from headrace.errors import ValidationError
from headrace.model.text import NotJsonError, to_json
from headrace.tracing.produce import producing

SQL = statements(__file__)
EMIT = SQL["emit"]
EMIT_ONCE = SQL["emit_once"]


def emit_parameters(
    name: str, data: Mapping[str, Any] | None, *, tenant: str = "default", correlation_id: str | None = None
) -> tuple[Any, ...]:
    """The values of `EMIT`, in order, but for what the event carries of its trace."""
    if not isinstance(data, Mapping | None):
        raise ValidationError(f"the data of event {name!r} must be a mapping, not {type(data).__name__}")
    try:
        return name, to_json(dict(data or {})), tenant, correlation_id
    except NotJsonError as error:
        raise ValidationError(f"the data of event {name!r} cannot be stored: {error}") from None


def emit_statement(
    parameters: tuple[Any, ...], trace: str | None, idempotency_key: str | None
) -> tuple[str, tuple[Any, ...]]:
    """What to send, with its values; its first column is the event's id. Without a key each call is another event."""
    if idempotency_key is None:
        return EMIT, (*parameters, trace)
    return EMIT_ONCE, (*parameters, trace, idempotency_key)


def emitting(name: str, *, tenant: str, correlation_id: str | None) -> AbstractContextManager[str | None]:
    """The span around publishing it; gives what the event is to carry."""
    return producing(f"emit {name}", "emit", event=name, tenant=tenant, correlation_id=correlation_id)
