"""What a worker says of itself and of its code when it registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from headrace.errors import BadRequest, Forbidden
from headrace.model.definition import Definition
from headrace.queue.claim import SQL_JOBS
from headrace.queue.lease import WorkerIdentity
from headrace.service.principal import Principal

EVERY = "*"


@dataclass(frozen=True, slots=True)
class Declared:
    """What the code of one app declares; `complete` when what is not among it has left the code."""

    app: str
    definitions: Sequence[Definition]
    complete: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """A worker to be, or one that has come to run other definitions; `worker.queues` are those that it asks for."""

    worker: WorkerIdentity
    worker_id: int | None = None
    declared: Sequence[Declared] = ()


@dataclass(frozen=True, slots=True)
class Synced:
    """What came of the code's word: keys of definitions, and triggers whose names were taken by hand-made ones.

    What a token bound to queues may not declare is elsewhere: it was left as it is. `kept` are definitions that the
    code does not have, and others may.
    """

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted_from_code: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    triggers_taken: list[str] = field(default_factory=list)
    definitions_elsewhere: list[str] = field(default_factory=list)
    triggers_elsewhere: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Registered:
    """Under which id a worker works, and what it serves."""

    worker_id: int
    queues: Sequence[str]
    server_time: datetime
    lease_seconds: float
    synced: Synced


def grant_queues(principal: Principal, asked: Sequence[str]) -> tuple[str, ...]:
    """What was asked for; with a token bound to queues its own of those, and all of its own when `*` was asked for."""
    if EVERY in principal.queues:
        return tuple(asked)
    if EVERY in asked:
        return principal.queues
    granted = tuple(queue for queue in asked if queue in principal.queues)
    if not granted:
        raise Forbidden(f"this token serves {', '.join(principal.queues)} and not {', '.join(sorted(set(asked)))}")
    return granted


def refuse_sql_jobs(definitions: Sequence[str]) -> None:
    """They run in the database, which a worker over HTTP does not have."""
    if SQL_JOBS in definitions:
        raise BadRequest("SQL jobs are not served over HTTP", field="definitions")
