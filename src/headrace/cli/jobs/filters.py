"""Which jobs: the filters that `jobs list` and `jobs bulk` share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.completion import STATUS_WORDS, definition_keys, statuses, trigger_names
from headrace.cli.core.durations import past
from headrace.errors import BadRequest

SOURCES = ("api", "sql", "scheduler", "catchup", "manual", "event", "backfill", "retry", "system")
JOB_FILTERS: dict[str, Any] = {
    "status": Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            "-s",
            help="Only jobs in this status; unsuccessful is failed or dead_letter. Repeatable.",
            autocompletion=statuses,
        ),
    ],
    "definition": Annotated[
        str | None,
        typer.Option("--definition", "-d", help="Only jobs of this definition.", autocompletion=definition_keys),
    ],
    "queue": Annotated[str | None, typer.Option("--queue", "-q", help="Only jobs of this queue.")],
    "source": Annotated[str | None, typer.Option("--source", help=f"Only jobs of this source: {', '.join(SOURCES)}.")],
    "trigger": Annotated[
        str | None,
        typer.Option("--trigger", help="Only jobs of this trigger (name or id).", autocompletion=trigger_names),
    ],
    "event": Annotated[str | None, typer.Option("--event", help="Only jobs of the event with this id.")],
    "correlation": Annotated[str | None, typer.Option("--correlation", help="Only jobs with this correlation id.")],
    "worker": Annotated[str | None, typer.Option("--worker", help="Only jobs of this worker (name or number).")],
    "error": Annotated[str | None, typer.Option("--error", help="Only jobs with this text in their error.")],
    "since": Annotated[str | None, typer.Option("--since", help="Only jobs enqueued since then: 2h ago, or a time.")],
    "until": Annotated[str | None, typer.Option("--until", help="Only jobs enqueued before then: 2h ago, or a time.")],
    "system": Annotated[bool, typer.Option("--system", help="Include Headrace's own jobs.")],
}
NAMES = {
    "system": "include_system",
    "correlation": "correlation_id",
    "error": "q",
    "since": "created_after",
    "until": "created_before",
}


def as_sent(said: Mapping[str, Any]) -> dict[str, Any]:
    """By the names that the API has, or `BadRequest` before anything is sent."""
    sent = dict(said)
    for status in sent.get("status", []):
        if status not in STATUS_WORDS:
            raise BadRequest(f"--status is one of {', '.join(STATUS_WORDS)}, not {status!r}")
    if sent.get("source", "api") not in SOURCES:
        raise BadRequest(f"--source is one of {', '.join(SOURCES)}, not {sent['source']!r}")
    for name in ("since", "until"):
        if name in sent:
            sent[name] = past(sent[name], f"--{name}")
    return {NAMES.get(name, name): value for name, value in sent.items()}
