"""What a job or an event carries of its trace: `traceparent`, and after a blank `tracestate` where there is one."""

from __future__ import annotations

import contextvars
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from headrace.log import add_context_provider
from headrace.tracing.guard import never_raises

if TYPE_CHECKING:
    from opentelemetry.context import Context

_PARENT = re.compile(r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_STATE = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,511}")

# Of the request that is being answered or the job that runs: what is made within carries it on, SDK or not.
inherited: contextvars.ContextVar[str | None] = contextvars.ContextVar("headrace_inherited_trace", default=None)


def checked(parent: str, state: str | None = None) -> str | None:
    """As it is carried, from the two headers of a request; none where they are not valid."""
    if not _PARENT.fullmatch(parent):
        return None
    return f"{parent} {state}" if state and _STATE.fullmatch(state) else parent


@never_raises(False)
def in_span() -> bool:
    """Whether this is called within a span."""
    trace = sys.modules.get("opentelemetry.trace")  # nobody is in one if nobody has loaded it
    return trace is not None and bool(trace.get_current_span().get_span_context().is_valid)


def current() -> str | None:
    """The span within which this is called, or else what was inherited."""
    return write() if in_span() else inherited.get()


@never_raises(dict[str, str]())
def _about_trace() -> dict[str, str]:
    """Which trace a log line is part of."""
    trace = sys.modules.get("opentelemetry.trace")
    span = None if trace is None else trace.get_current_span().get_span_context()
    if span is None or not span.is_valid:
        return {}
    return {"trace_id": f"{span.trace_id:032x}", "span_id": f"{span.span_id:016x}"}


add_context_provider(_about_trace)


@never_raises(None)
def write() -> str | None:
    """The current span's context."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    parent = headers.get("traceparent")
    return None if parent is None else checked(parent, headers.get("tracestate"))


@never_raises(None)
def read(text: str | None) -> Context | None:
    """The context to be a child of; none for what is no trace: such a span begins a new one."""
    if text is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract(headers(text))


def headers(text: str | None) -> Mapping[str, str]:
    """As HTTP has it."""
    if text is None:
        return {}
    parent, _, state = text.partition(" ")
    return {"traceparent": parent, "tracestate": state} if state else {"traceparent": parent}


@never_raises(None)
def resume(text: str | None) -> None:
    """Let what follows in this context be part of that trace."""
    inherited.set(text)
    if text is not None and "opentelemetry.trace" in sys.modules:
        from opentelemetry import context

        context.attach(read(text) or context.Context())


def environment() -> dict[str, str]:
    """For a program that goes on with the trace: `TRACEPARENT` and perhaps `TRACESTATE`."""
    return {name.upper(): value for name, value in headers(current()).items()}
