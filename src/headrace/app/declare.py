"""From `@hr.job(…)` to a handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, TypedDict

from headrace.define.handler import Handler, as_timeout
from headrace.model.definition import Isolation, TriggerDeclaration
from headrace.model.retry import RetryPolicy


class JobOptions(TypedDict, total=False):
    """What may be declared of a job; an operator may later change queue, priority, attempts, timeout and retry."""

    queue: str
    priority: int
    max_attempts: int
    timeout: float | timedelta | None
    retry: RetryPolicy
    isolation: Isolation
    tags: Iterable[str]
    description: str
    cron: str | None
    every: float | timedelta | None
    on: str | None
    init: bool | str | None
    timezone: str
    catch_up: str


def make_handler(function: Callable[..., Any], key: str | None, options: JobOptions) -> Handler:
    """The function as a handler, with what was declared of it."""
    declared: dict[str, Any] = dict(options)
    if unknown := set(declared) - set(JobOptions.__annotations__):
        known = ", ".join(JobOptions.__annotations__)
        raise TypeError(f"@hr.job has no option {', '.join(sorted(unknown))}; there are {known}")
    declared["timeout"] = as_timeout(declared.pop("timeout", None))
    declared["tags"] = tuple(declared.pop("tags", ()))
    declared["triggers"] = _triggers(declared)
    return Handler(function, key=key, **declared)


def _triggers(declared: dict[str, Any]) -> tuple[TriggerDeclaration, ...]:
    """Takes the options that declare when the job fires."""
    said = {name: declared.pop(name) for name in ("cron", "every", "on", "init") if name in declared}
    how = {name: declared.pop(name) for name in ("timezone", "catch_up") if name in declared}
    if isinstance(said.get("every"), timedelta):
        said["every"] = said["every"].total_seconds()
    if all(value is None for value in said.values()):
        return ()
    return (TriggerDeclaration(**said, **how),)
