"""What a worker and the child process of a handler say to each other: JSON, each message after its length."""

from __future__ import annotations

import json
import struct
import traceback
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from headrace.context import Context
from headrace.model.job.outcome import Cancel, CannotRead, Fail, Retry, Snooze
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.text import NotJsonError, clean, to_json
from headrace.tracing import carried

Message = dict[str, Any]

LENGTH = struct.Struct("!I")
MOST_TEXT = 100_000


class ChildRaised(Exception):
    """What a handler raised in its child process, with the traceback from there."""

    def __init__(self, type_name: str, text: str, traceback: str | None) -> None:
        super().__init__(f"{type_name}: {text}".rstrip(": "))
        self.traceback = traceback


class FunctionPlace(NamedTuple):
    """Where a child finds a job: a name in a module, or in a script that was run as the main module."""

    module: str
    qualname: str
    script: str | None


class Order(NamedTuple):
    """One run of a job, in values that JSON knows."""

    module: str
    qualname: str
    script: str | None
    path: list[str]
    payload: str
    job_id: str
    run: int
    spent: int
    max_attempts: int
    definition: str
    tenant: str
    correlation_id: str | None
    scheduled_for: str | None
    source: str
    trace_context: str | None

    @classmethod
    def of(cls, place: FunctionPlace, path: list[str], payload: str, context: Context) -> Order:
        """The order to run what is at the place."""
        return cls(
            *place,
            path=path,
            payload=payload,
            job_id=str(context.job_id),
            run=context.fencing_token,
            spent=context.attempt - 1,
            max_attempts=context.max_attempts,
            definition=context.definition,
            tenant=context.tenant,
            correlation_id=context.correlation_id,
            scheduled_for=context.scheduled_for.isoformat() if context.scheduled_for else None,
            source=context.triggered_by,
            trace_context=carried.current(),
        )

    def job(self) -> ClaimedJob:
        """The job as far as a context tells of it."""
        return ClaimedJob(
            id=UUID(self.job_id),
            run=self.run,
            spent=self.spent,
            max_attempts=self.max_attempts,
            terms=Terms(self.definition),
            tenant=self.tenant,
            payload=self.payload,
            correlation_id=self.correlation_id,
            scheduled_for=datetime.fromisoformat(self.scheduled_for) if self.scheduled_for else None,
            source=self.source,
            trace_context=self.trace_context,
        )


def frame(message: Message) -> bytes:
    """The message as it travels."""
    body = json.dumps(message).encode()
    return LENGTH.pack(len(body)) + body


def answer_with(value: Any) -> Message:
    """What the child says when the handler returned."""
    if isinstance(value, (Retry, Snooze, Cancel, Fail)):
        return answer_to(value)
    try:
        return {"kind": "value", "json": to_json(value)}
    except NotJsonError as error:
        return {"kind": "unstorable", "text": f"the result cannot be stored: {error}"}


def answer_to(error: BaseException) -> Message:
    """What the child says when the handler raised."""
    match error:
        case Retry():
            return _asked("retry", error.reason, error.after)
        case Snooze():
            return _asked("snooze", error.reason, error.for_)
        case Cancel():
            return _asked("cancel", error.reason)
        case Fail():
            return _asked("fail", error.reason)
        case CannotRead():
            return _asked("another version", error.reason)
    try:
        text = clean(str(error), MOST_TEXT)
        frames = traceback.TracebackException.from_exception(error, limit=50).format()
        trace = clean("".join(frames), MOST_TEXT)
    except Exception:
        text, trace = "(it cannot be described)", None
    return {"kind": "raised", "type": type(error).__name__, "text": text, "traceback": trace}


def value_of(answer: Message) -> Any:
    """The value that the child answered with, or the exception it told of."""
    match answer:
        case {"kind": "value", "json": text}:
            return json.loads(text)
        case {"kind": "unstorable", "text": text}:
            raise NotJsonError(text)
        case {"kind": "raised", "type": type_name, "text": text, "traceback": trace}:
            raise ChildRaised(type_name, text, trace)
        case {"kind": "asked", "for": "retry", "delay": delay, "reason": reason}:
            raise Retry(delay, reason)
        case {"kind": "asked", "for": "snooze", "delay": delay, "reason": reason}:
            raise Snooze(delay, reason)
        case {"kind": "asked", "for": "cancel", "reason": reason}:
            raise Cancel(reason)
        case {"kind": "asked", "for": "fail", "reason": reason}:
            raise Fail(reason)
        case {"kind": "asked", "for": "another version", "reason": reason}:
            raise CannotRead(reason)
    raise ValueError(f"a handler's process answered with an unknown message: {answer.get('kind')!r}")


def _asked(what: str, reason: str, delay: timedelta | None = None) -> Message:
    seconds = None if delay is None else delay.total_seconds()
    return {"kind": "asked", "for": what, "delay": seconds, "reason": str(reason)}
