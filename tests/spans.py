"""Spans of this process, kept by OpenTelemetry's own SDK in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


class Spans:
    """All that have ended."""

    def __init__(self, exporter: InMemorySpanExporter, provider: TracerProvider) -> None:
        self._exporter = exporter
        self.provider = provider

    def named(self, name: str) -> list[ReadableSpan]:
        """In the order in which they ended."""
        return [span for span in self._exporter.get_finished_spans() if span.name == name]

    def names(self) -> list[str]:
        """Of all, in the order in which they ended."""
        return [span.name for span in self._exporter.get_finished_spans()]

    def one(self, name: str) -> ReadableSpan:
        """The only one of that name."""
        (span,) = self.named(name)
        return span


@contextmanager
def keeping_spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spans]:
    """Whoever looks for an SDK finds this one, until the block ends: a process can set one up only once."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    yield Spans(exporter, provider)
    provider.shutdown()


def context_of(span: ReadableSpan) -> Any:
    """Its ids."""
    assert span.context is not None
    return span.context


def is_child(span: ReadableSpan, parent: ReadableSpan) -> bool:
    """Whether one is directly below the other, in one trace."""
    above = span.parent
    return above is not None and (above.trace_id, above.span_id) == (
        context_of(parent).trace_id,
        context_of(parent).span_id,
    )
