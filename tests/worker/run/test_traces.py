"""Spans from enqueue to run, over both transports, with the real SDK."""

from __future__ import annotations

import asyncio
import logging
import sys
import textwrap
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.trace import SpanKind, StatusCode
from tests.contract.scripts import commands_on, python
from tests.spans import Spans, context_of, is_child
from tests.worker.running import attempts, finished, run_due, set_up, until_status, working

from headrace import Cancel, Headrace, Retry, Snooze
from headrace.db.connect import Connection
from headrace.tracing.guard import forget_troubles

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


async def test_a_run_is_a_child_of_its_enqueue_and_says_what_it_ran(hr: Headrace, spans: Spans) -> None:
    @hr.job("greet", queue="mail")
    async def greet() -> str:
        return format(trace.get_current_span().get_span_context().span_id, "x")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("greet", correlation_id="c-1"))
    enqueued, ran = spans.one("enqueue greet"), spans.one("run greet")
    assert (enqueued.kind, ran.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER)
    assert enqueued.parent is None
    assert is_child(ran, enqueued)
    assert job.result == format(context_of(ran).span_id, "x")
    assert ran.status.status_code == StatusCode.UNSET
    assert ran.attributes == {
        "messaging.system": "headrace",
        "messaging.operation.name": "run",
        "messaging.operation.type": "process",
        "messaging.destination.name": "mail",
        "messaging.message.id": str(job.id),
        "messaging.message.conversation_id": "c-1",
        "headrace.definition": "greet",
        "headrace.tenant": "default",
        "headrace.attempt": 1,
        "headrace.run": 1,
        "headrace.outcome": "succeeded",
        "headrace.status": "succeeded",
    }
    assert enqueued.attributes == {
        "messaging.system": "headrace",
        "messaging.operation.name": "enqueue",
        "messaging.operation.type": "send",
        "messaging.message.conversation_id": "c-1",
        "headrace.definition": "greet",
        "headrace.tenant": "default",
    }


async def test_what_a_handler_enqueues_is_below_its_run_and_an_applications_span_is_above_all(
    hr: Headrace, spans: Spans
) -> None:
    @hr.job("first")
    async def first() -> str:
        return str((await hr.enqueue_many("second", [{}, {}]))[0])

    @hr.job("second")
    def second() -> int:
        return trace.get_current_span().get_span_context().span_id

    async with working(hr):
        with trace.get_tracer("shop").start_as_current_span("checkout"):
            job_id = await hr.enqueue("first")
        made = (await finished(hr, job_id)).result
        in_thread = (await finished(hr, made)).result
    assert is_child(spans.one("enqueue first"), spans.one("checkout"))
    assert is_child(spans.one("run first"), spans.one("enqueue first"))
    both = spans.one("enqueue second")
    assert is_child(both, spans.one("run first"))
    assert both.attributes is not None
    assert both.attributes["messaging.batch.message_count"] == 2
    ran = spans.named("run second")
    assert all(is_child(span, both) for span in ran)
    assert in_thread in {context_of(span).span_id for span in ran}


async def test_each_attempt_is_a_span_of_its_own_with_what_went_wrong(
    hr: Headrace, connection: Connection, spans: Spans
) -> None:
    @hr.job("charge", max_attempts=2)
    async def charge() -> None:
        raise ValueError("no funds")

    async with working(hr):
        job_id = await hr.enqueue("charge")
        await run_due(connection, job_id)
        assert (await finished(hr, job_id)).status == "dead_letter"
    first, second = spans.named("run charge")
    assert is_child(first, spans.one("enqueue charge"))
    assert is_child(second, spans.one("enqueue charge"))
    for attempt, span in enumerate((first, second), 1):
        assert span.attributes is not None
        assert span.attributes["headrace.attempt"] == attempt
        assert span.attributes["error.type"] == "ValueError"
        assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "ValueError: no funds")
        (event,) = span.events
        assert event.attributes is not None
        assert event.attributes["exception.message"] == "no funds"
        assert "in charge" in str(event.attributes["exception.stacktrace"])
    assert "headrace.status" not in (first.attributes or {})
    assert (second.attributes or {})["headrace.status"] == "dead_letter"


@pytest.mark.parametrize(
    ("asked", "outcome", "status"),
    [
        (Snooze(3600), "snoozed", StatusCode.UNSET),
        (Retry(3600, "later"), "retried", StatusCode.ERROR),
        (Cancel(), "canceled", StatusCode.UNSET),
    ],
)
async def test_what_a_handler_asks_for_is_in_its_span(
    hr: Headrace, connection: Connection, spans: Spans, asked: Exception, outcome: str, status: StatusCode
) -> None:
    @hr.job("ask")
    async def ask() -> None:
        raise asked

    async with working(hr):
        job_id = await hr.enqueue("ask")
        await until_status(connection, job_id, "canceled" if outcome == "canceled" else "scheduled")
    span = spans.one("run ask")
    assert (span.attributes or {})["headrace.outcome"] == outcome
    assert span.status.status_code == status
    assert span.events == ()


class Broken(SpanProcessor):
    """An exporter with a fault."""

    def __init__(self, fails_at: str, error: type[BaseException]) -> None:
        self._fails_at = fails_at
        self._error = error

    def on_start(self, span: ReadableSpan, parent_context: object = None) -> None:
        if self._fails_at == "start":
            raise self._error("no room for another span")

    def on_end(self, span: ReadableSpan) -> None:
        if self._fails_at == "end":
            raise self._error("the exporter is gone")


@pytest.mark.parametrize("error", [RuntimeError, asyncio.CancelledError, SystemExit])
@pytest.mark.parametrize("fails_at", ["start", "end"])
async def test_a_tracer_that_raises_decides_nothing(
    hr: Headrace,
    connection: Connection,
    spans: Spans,
    caplog: pytest.LogCaptureFixture,
    fails_at: str,
    error: type[BaseException],
) -> None:
    forget_troubles()
    spans.provider.add_span_processor(Broken(fails_at, error))

    @hr.job("work", max_attempts=1)
    async def work() -> str:
        return "done"

    async with working(hr, concurrency=1):
        jobs = [await finished(hr, await hr.enqueue("work")) for _ in range(3)]
    assert [job.result for job in jobs] == ["done"] * 3
    assert [await attempts(connection, job.id) for job in jobs] == [[(1, "succeeded", "succeeded")]] * 3
    assert "tracing failed" in caplog.text


async def test_a_tracer_whose_failure_cannot_be_logged_decides_nothing(hr: Headrace, spans: Spans) -> None:
    def refuse(record: logging.LogRecord) -> bool:
        raise RuntimeError("no lines today")

    forget_troubles()
    spans.provider.add_span_processor(Broken("end", RuntimeError))

    @hr.job("work")
    async def work() -> str:
        return "done"

    tracing = logging.getLogger("headrace.tracing")
    tracing.addFilter(refuse)
    try:
        async with working(hr):
            assert (await finished(hr, await hr.enqueue("work"))).result == "done"
    finally:
        tracing.removeFilter(refuse)


async def test_secrets_do_not_show_in_spans(hr: Headrace, connection: Connection, spans: Spans) -> None:
    @hr.job("sign_in", max_attempts=1)
    async def sign_in(password: str) -> None:
        raise ValueError(f"wrong: {password}")

    async with working(hr):
        await finished(hr, await hr.enqueue("sign_in", {"password": "correct-horse-battery"}))
    span = spans.one("run sign_in")
    assert "correct-horse" not in span.to_json()
    assert span.status.description == "ValueError: wrong: ***"


async def test_a_job_of_plain_sql_carries_the_trace_that_its_transaction_names(
    hr: Headrace, connection: Connection, spans: Spans
) -> None:
    @hr.job("work")
    async def work() -> None: ...

    async with working(hr):
        async with connection.transaction():
            await connection.execute(f"set local headrace.trace_context = '{PARENT} vendor=x'")
            job_id = await connection.fetchval("select headrace.enqueue('work')")
        other = await connection.fetchval("select headrace.enqueue('work')")
        await finished(hr, job_id)
        await finished(hr, other)
    traced = [span for span in spans.named("run work") if span.parent is not None]
    (span,) = traced
    assert span.parent is not None
    assert format(span.parent.trace_id, "032x") == TRACE
    assert span.parent.trace_state.get("vendor") == "x"
    assert len(spans.named("run work")) == 2


@pytest.mark.parametrize("text", ["nonsense", "00-" + "0" * 32 + "-b7ad6b7169203331-01", "x" * 100_000])
async def test_what_is_no_trace_begins_a_new_one(hr: Headrace, connection: Connection, spans: Spans, text: str) -> None:
    @hr.job("work")
    async def work() -> None: ...

    async with working(hr):
        async with connection.transaction():
            await connection.execute("select set_config('headrace.trace_context', $1, true)", text)
            job_id = await connection.fetchval("select headrace.enqueue('work')")
        assert (await finished(hr, job_id)).status == "succeeded"
    assert spans.one("run work").parent is None


SHOW = """
seen = {name: value for name, value in os.environ.items() if name.startswith('TRACE')}
json.dump(seen, open(os.environ['HEADRACE_RESULT'], 'w'))
"""


async def test_a_command_finds_its_span_in_its_environment(database_url: str, spans: Spans) -> None:
    async with working(hr := commands_on(database_url, show=python(SHOW, result="file"))):
        job = await finished(hr, await hr.enqueue("show"))
    ids = context_of(spans.one("run show"))
    assert job.result["TRACEPARENT"].startswith(f"00-{ids.trace_id:032x}-{ids.span_id:016x}-")


async def test_without_an_sdk_a_trace_is_passed_on_and_nothing_else_happens(
    database_url: str, connection: Connection
) -> None:
    async with working(hr := commands_on(database_url, show=python(SHOW, result="file"))):
        plain = await finished(hr, await hr.enqueue("show"))
        async with connection.transaction():
            await connection.execute(f"set local headrace.trace_context = '{PARENT} a=b'")
            job_id = await connection.fetchval("select headrace.enqueue('show')")
        traced = await finished(hr, job_id)
    assert plain.result == {}
    assert traced.result == {"TRACEPARENT": PARENT, "TRACESTATE": "a=b"}
    assert await connection.fetchval("select trace_context from headrace.job where id = $1", plain.id) is None


APART = """
    from opentelemetry import trace
    from headrace import Headrace

    hr = Headrace(app="apart")

    @hr.job(isolation="process", max_attempts=1)
    def where() -> dict:
        ids = trace.get_current_span().get_span_context()
        return {"trace": format(ids.trace_id, "x"), "span": format(ids.span_id, "x")}
"""


async def test_a_handler_in_a_process_of_its_own_is_within_its_span(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spans: Spans
) -> None:
    (tmp_path / "apart_traced.py").write_text(textwrap.dedent(APART))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "apart_traced", raising=False)
    hr = set_up(__import__("apart_traced").hr, database_url)
    async with working(hr):
        job = await finished(hr, await hr.enqueue("where"))
    ids = context_of(spans.one("run where"))
    assert job.result == {"trace": format(ids.trace_id, "x"), "span": format(ids.span_id, "x")}
