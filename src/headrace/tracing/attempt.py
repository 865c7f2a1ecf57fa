"""Consumer spans: each attempt of a job is one, a child of the span that enqueued it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition
from headrace.tracing import carried
from headrace.tracing.guard import never_raises
from headrace.tracing.produce import span_attributes

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

# What went wrong; a snooze, a release or a cancel is nobody's error.
TROUBLE = ("failed", "timed_out", "retried")


@never_raises(None)
def begin_attempt(tracer: Tracer, job: ClaimedJob) -> Span | None:
    """A span that is the current one for the rest of this task."""
    from opentelemetry import context, trace

    known = span_attributes(
        "run",
        "process",
        queue=job.terms.queue,
        job_id=str(job.id),
        correlation_id=job.correlation_id,
        definition=job.definition,
        tenant=job.tenant,
        attempt=job.attempt,
        run=job.run,
    )
    # A context of its own: whatever the worker's task was started within is no part of the job's trace.
    parent = carried.read(job.trace_context) or context.Context()
    span = tracer.start_span(f"run {job.definition}", context=parent, kind=trace.SpanKind.CONSUMER, attributes=known)
    context.attach(trace.set_span_in_context(span, parent))
    return span


@never_raises(None)
def end_attempt(span: Span, transition: Transition) -> None:
    """By its outcome, whose words are masked by now."""
    from opentelemetry.trace import StatusCode

    span.set_attribute("headrace.outcome", transition.outcome)
    if transition.final is not None:
        span.set_attribute("headrace.status", str(transition.final))
    if transition.outcome in TROUBLE:
        if transition.traceback is not None:
            _record_exception(span, transition)
        span.set_status(StatusCode.ERROR, transition.error)
    span.end()


@never_raises(None)
def end_lost_attempt(span: Span) -> None:
    """Another worker has the job: what this one did does not count."""
    from opentelemetry.trace import StatusCode

    span.set_attribute("headrace.outcome", "lost")
    span.set_status(StatusCode.ERROR, "the lease was lost")
    span.end()


def _record_exception(span: Span, transition: Transition) -> None:
    name, _, message = (transition.error or "").partition(": ")
    span.set_attribute("error.type", name)
    span.add_event(
        "exception",
        {
            "exception.type": name,
            "exception.message": message,
            "exception.stacktrace": transition.traceback or "",
        },
    )
