"""`headrace logs`: search what jobs said, and follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.completion import LEVELS, definition_keys
from headrace.cli.core.durations import duration, past
from headrace.cli.core.options import All, how_many
from headrace.cli.jobs.find import JobFinder
from headrace.cli.logs.tables import Lines, level_number
from headrace.cli.output.tables import when

app = typer.Typer(no_args_is_help=True, help="Search and follow the log lines of jobs.")
PAGE = 1000
# Lines are written in batches, each with its own times: what comes late lies a little behind what was seen.
OVERLAP = timedelta(seconds=10)

Definition = Annotated[
    str | None,
    typer.Option("--definition", "-d", help="Only lines of this definition.", autocompletion=definition_keys),
]
Job = Annotated[
    str | None, typer.Option("--job", help="Only lines of this job: its id; a prefix or a suffix is enough.")
]
Level = Annotated[
    str | None, typer.Option("--level", "-l", help="The minimum level.", autocompletion=lambda: list(LEVELS))
]
NoColor = Annotated[bool, typer.Option("--no-color", help="Without the jobs' own colours.")]


@app.command("search")
@speaks_to_api
async def search(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, 'a phrase', prefix*, -not; or ~any text.")],
    definition: Definition = None,
    job: Job = None,
    level: Level = None,
    since: Annotated[str | None, typer.Option("--since", help="Only lines since then: 2h ago, or a time.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only lines before then: 2h ago, or a time.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="The most lines to list.")] = 50,
    everything: All = False,
    no_color: NoColor = False,
) -> None:
    """Search the log lines of all jobs, newest first. Without a query all lines are listed.

    Example: headrace logs search 'reminding' --definition send_reminder --since 1d
    """
    asked: dict[str, Any] = {
        "definition": definition,
        "level": level_number(level),
        "since": None if since is None else past(since, "--since"),
        "until": None if until is None else past(until, "--until"),
    }
    lines = Lines(call, colours=not no_color)
    async with call.api() as api:
        asked["job_id"] = None if job is None else await JobFinder(api).id(job)
        searched = await _search(api, lines, how_many(limit, everything), query=query, **asked)
    lines.end("no lines with this")
    if searched is not None:
        call.show.note(f"searched back to {when(searched)}: there may be more, see --limit and --all")


@app.command("tail")
@speaks_to_api
async def tail(
    call: Call,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Only lines with these words.")] = "",
    definition: Definition = None,
    job: Job = None,
    level: Level = None,
    since: Annotated[str, typer.Option("--since", help="Also earlier lines, from then on: 1h ago.")] = "1m",
    lasting: Annotated[
        str | None, typer.Option("--for", help="How long to follow, for example 10m; until Ctrl-C when absent.")
    ] = None,
    every: Annotated[str, typer.Option("--every", help="The time between reads.")] = "1s",
    no_color: NoColor = False,
) -> None:
    """Follow the log lines of all jobs, oldest first.

    Example: headrace logs tail --definition send_reminder --since 1h --for 1s
    """
    asked: dict[str, Any] = {"query": query, "definition": definition, "level": level_number(level)}
    begin, pause = past(since, "--since"), duration(every, "--every")
    patience = None if lasting is None else duration(lasting, "--for")
    lines = Lines(call, colours=not no_color)
    async with call.api() as api:
        asked["job_id"] = None if job is None else await JobFinder(api).id(job)
        await api.get("/logs", **asked, since=begin, limit=1)  # what is refused is an error, however short --for is
        try:
            async with asyncio.timeout(patience):
                async for line in _new_lines(api, begin, pause, asked):
                    lines.say(line, about=whose(line))
        except TimeoutError:
            return


async def _search(api: Api, lines: Lines, limit: int | None, **asked: Any) -> str | None:
    """Says what it finds; answers with the time down to which all was searched, none when that is all there is."""
    cursor, left = None, limit
    while True:
        size = PAGE if left is None else min(left, PAGE)
        page = await api.get("/logs", **asked, limit=size, cursor=cursor)
        for line in page["items"]:
            lines.say(line, about=whose(line))
        left = None if left is None else left - len(page["items"])
        cursor = page["next_cursor"]
        if cursor is None:
            return None
        if left == 0:
            searched: str | None = page["searched_to"]
            return searched


async def _new_lines(api: Api, begin: str, pause: float, asked: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Each line once, in the order of time as far as they come in it."""
    seen: dict[tuple[str, int, int], str] = {}
    since = begin
    while True:
        found = [line async for line in _pages(api, since=since, **asked)]
        for line in sorted(found, key=lambda line: (line["at"], line["job_id"], line["run"], line["seq"])):
            key = (line["job_id"], line["run"], line["seq"])
            if key not in seen:
                seen[key] = line["at"]
                yield line
        if found:
            newest = datetime.fromisoformat(max(line["at"] for line in found)).astimezone(UTC)
            since = max(begin, (newest - OVERLAP).isoformat().replace("+00:00", "Z"))
            seen = {key: at for key, at in seen.items() if at >= since[:19]}
        await asyncio.sleep(pause)


async def _pages(api: Api, **asked: Any) -> AsyncIterator[dict[str, Any]]:
    cursor = None
    while True:
        page = await api.get("/logs", **asked, limit=PAGE, cursor=cursor)
        for line in page["items"]:
            yield line
        cursor = page["next_cursor"]
        if cursor is None:
            return


def whose(line: dict[str, Any]) -> str:
    """The definition and enough of the job's id to name it."""
    return f"{line['definition']} {line['job_id'][-12:]}"
