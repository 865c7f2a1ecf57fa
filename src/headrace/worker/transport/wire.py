"""What a worker and a server say to each other, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from headrace.model.definition import Definition
from headrace.model.job.record import ClaimedJob, Terms
from headrace.model.job.retry import RetryPolicy
from headrace.model.job.status import JobStatus
from headrace.model.job.transition import Transition
from headrace.model.log.line import STREAMS, LogLine, clean_fields, storable

# A server takes 32 MB (`api/body/sizes.py`); one outcome has at most a few.
LARGEST_BODY = 8 * 1024 * 1024


def read_claimed(answer: Mapping[str, Any]) -> list[ClaimedJob]:
    """The jobs of a claim's answer."""
    queues = {(job["definition"], job["queue"]) for job in answer["jobs"]}
    terms = {(key, queue): _terms(key, queue, answer["definitions"][key]) for key, queue in queues}
    return [_job(job, terms) for job in answer["jobs"]]


def _job(job: Mapping[str, Any], terms: Mapping[tuple[str, str], Terms]) -> ClaimedJob:
    scheduled_for = job["scheduled_for"]
    return ClaimedJob(
        UUID(job["id"]),
        job["run"],
        job["attempt"] - 1,
        job["max_attempts"],
        terms[job["definition"], job["queue"]],
        job["tenant"],
        job["payload"],
        job["correlation_id"],
        None if scheduled_for is None else datetime.fromisoformat(scheduled_for),
        job["source"],
        job["suspect"],
        job["trace_context"],
    )


def _terms(key: str, queue: str, terms: Mapping[str, Any]) -> Terms:
    names = ("retry_base_seconds", "retry_cap_seconds", "retry_jitter_seconds")
    retry = RetryPolicy(*(timedelta(seconds=terms[name]) for name in names))
    return Terms(key, terms["timeout_seconds"], retry, fair=terms["fair"], queue=queue)


def bodies(worker_id: int, name: str, items: Iterable[bytes]) -> Iterator[bytes]:
    """Requests with a list of items, as many as it takes for none to be too large."""
    head = b'{"worker_id":%d,"%s":[' % (worker_id, name.encode())
    size, batch = 0, list[bytes]()
    for item in items:
        if batch and size + len(item) > LARGEST_BODY:
            yield head + b",".join(batch) + b"]}"
            size, batch = 0, []
        size += len(item) + 1
        batch.append(item)
    if batch:
        yield head + b",".join(batch) + b"]}"


def write_transition(ended: Transition) -> bytes:
    """How a run ended, or `UnicodeEncodeError` for what cannot be sent."""
    job_id, run, outcome, final, _, delay, error, traceback, result, detail = ended
    if outcome == "succeeded" and final == JobStatus.SUCCEEDED and result is None and detail is None:
        return b'{"job_id":"%s","run":%d}' % (str(job_id).encode(), run)  # nearly every one
    message: dict[str, Any] = {"job_id": str(job_id), "run": run, "outcome": outcome, "final": final}
    message |= {"delay_seconds": delay, "error": error, "traceback": traceback}
    return _encode(message | {"result_json": result, "detail_json": detail})


def write_line(line: LogLine) -> bytes:
    """A line, with all of its characters made fit to be sent."""
    try:
        return _line(storable(line))
    except UnicodeEncodeError:
        return _line(storable(line)._replace(fields=clean_fields(line.fields)))


def _line(line: LogLine) -> bytes:
    job_id, run, seq, at, level, stream, message, fields = line
    fields_sent = {"job_id": str(job_id), "run": run, "seq": seq, "at": at.isoformat(), "level": level}
    return _encode(fields_sent | {"stream": STREAMS[stream], "message": message, "fields_json": fields})


def declaration(app: str, definitions: Sequence[Definition], *, complete: bool) -> dict[str, Any]:
    """What the code of an app declares, as `register` takes it."""
    return {"app": app, "complete": complete, "definitions": [_definition(one) for one in definitions]}


def _definition(definition: Definition) -> dict[str, Any]:
    return {
        "key": definition.key,
        "kind": definition.kind,
        "payload_schema": definition.payload_schema,
        "triggers": [{"name": trigger.name, "settings": trigger.settings} for trigger in definition.triggers],
        **definition.settings.model_dump(),
    }


def _encode(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def encode(value: Any) -> bytes:
    """A body; times as text, as a sync stores them."""
    return json.dumps(value, default=str).encode()
