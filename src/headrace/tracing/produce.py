"""Producer spans: an enqueue, an event, a trigger that fires."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from headrace.tracing import carried
from headrace.tracing.guard import never_raises
from headrace.version import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider


# An SDK can be named there instead of being set up.
_BY_ENVIRONMENT = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ


@never_raises(None)
def find_tracer() -> Tracer | None:
    """Ours, or none where nobody would see its spans."""
    if "opentelemetry.trace" not in sys.modules and not _BY_ENVIRONMENT:
        return None
    from opentelemetry import trace

    provider = trace.get_tracer_provider()
    if isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider)):
        return None
    return _tracer(provider)


@lru_cache(maxsize=4)
def _tracer(provider: TracerProvider) -> Tracer:
    return provider.get_tracer("headrace", __version__)


def span_attributes(operation: str, kind: str, **known: str | int | None) -> dict[str, str | int]:
    """Attributes in the words of OpenTelemetry's conventions for messaging, as far as something is known."""
    attributes = {"messaging.system": "headrace", "messaging.operation.name": operation}
    said = {_NAMES[name]: value for name, value in known.items() if value is not None}
    return {**attributes, "messaging.operation.type": kind, **said}


_NAMES = {
    "queue": "messaging.destination.name",
    "job_id": "messaging.message.id",
    "correlation_id": "messaging.message.conversation_id",
    "jobs": "messaging.batch.message_count",
    "worker": "messaging.client.id",
    "definition": "headrace.definition",
    "tenant": "headrace.tenant",
    "attempt": "headrace.attempt",
    "run": "headrace.run",
    "event": "headrace.event",
    "trigger": "headrace.trigger",
}


@contextmanager
def producing(
    name: str, operation: str, *, parent: str | None = None, **known: str | int | None
) -> Iterator[str | None]:
    """A span around what makes jobs; gives what they are to carry. Without a tracer they carry on with the parent.

    The parent is the span we are in, or what was inherited, unless another is given.
    """
    tracer = find_tracer()
    span = None if tracer is None else _begin(tracer, name, parent, span_attributes(operation, "send", **known))
    if span is None:
        yield parent or carried.current()
        return
    try:
        yield carried.write()
    except BaseException as error:
        _end(span, error)
        raise
    _end(span, None)


@never_raises(None)
def _begin(
    tracer: Tracer, name: str, parent: str | None, attributes: dict[str, str | int]
) -> AbstractContextManager[Span] | None:
    from opentelemetry.trace import SpanKind

    above = carried.read(parent or (None if carried.in_span() else carried.inherited.get()))
    span = tracer.start_as_current_span(name, context=above, kind=SpanKind.PRODUCER, attributes=attributes)
    span.__enter__()
    return span


@never_raises(None)
def _end(span: AbstractContextManager[Span], error: BaseException | None) -> None:
    span.__exit__(None if error is None else type(error), error, None if error is None else error.__traceback__)
