"""`headrace jobs logs|wait|watch`: follow what happens."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call
from headrace.cli.core.completion import LEVELS
from headrace.cli.core.durations import duration
from headrace.cli.core.errors import Unreachable
from headrace.cli.core.options import Limit
from headrace.cli.jobs.find import JobFinder
from headrace.cli.jobs.list import JobId
from headrace.cli.jobs.tables import job_columns
from headrace.cli.jobs.wait_job import show_end, wait_until_ended
from headrace.cli.logs.tables import Lines, level_number
from headrace.cli.output.progress import pauses
from headrace.cli.output.tables import console, draw
from headrace.errors import BadRequest

STREAMS = ("log", "stdout", "stderr", "notice")
PAGE = 10_000
# How often a server that went away is asked again while lines are followed.
ATTEMPTS = 10


async def show_logs(
    call: Call,
    job: JobId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow new lines until the job has ended.")] = False,
    level: Annotated[
        str | None, typer.Option("--level", "-l", help="The minimum level.", autocompletion=lambda: list(LEVELS))
    ] = None,
    stream: Annotated[
        str | None, typer.Option("--stream", help=f"Only lines of this stream: {', '.join(STREAMS)}.")
    ] = None,
    no_color: Annotated[bool, typer.Option("--no-color", help="Without the job's own colours.")] = False,
) -> None:
    """Show the log lines of a job.

    Example: headrace jobs logs ID --level info
    """
    chosen: dict[str, Any] = {"level": level_number(level), "stream": _stream(stream)}
    lines = Lines(call, colours=not no_color)
    async with call.api() as api:
        path = f"/jobs/{await JobFinder(api).id(job)}/logs"
        if follow:
            await _follow(api, path, chosen, lines)
        else:
            await _read(api, path, chosen, lines)


async def wait(
    call: Call,
    job: JobId,
    timeout: Annotated[str | None, typer.Option("--timeout", help="The longest wait, for example 5m.")] = None,
) -> None:
    """Wait until a job has ended: exit 0 when it succeeded, 1 otherwise.

    Example: headrace jobs wait ID --timeout 1m
    """
    patience = None if timeout is None else duration(timeout, "--timeout")
    async with call.api() as api:
        show_end(call, await wait_until_ended(api, await JobFinder(api).id(job), timeout=patience, quiet=call.as_json))


async def watch(
    call: Call,
    limit: Limit = 20,
    lasting: Annotated[
        str | None, typer.Option("--for", help="How long to watch, for example 10m; until Ctrl-C when absent.")
    ] = None,
) -> None:
    """Watch jobs: a live table on a terminal, else one line for each change.

    Example: headrace jobs watch --for 1s
    """
    import asyncio

    patience = None if lasting is None else duration(lasting, "--for")
    async with call.api() as api:
        try:
            async with asyncio.timeout(patience):
                await _watch(call, api, limit)
        except TimeoutError:
            return


async def _watch(call: Call, api: Api, limit: int) -> None:
    on_screen = sys.stdout.isatty() and not call.as_json
    first = [job async for job in api.items("/jobs", limit=limit)] if on_screen else []
    known = {job["id"]: job for job in first}
    if not on_screen:
        async for event, _, data in api.lines("/stream"):
            if event == "job":
                changed = json.loads(data)
                call.show.table([changed], job_columns([changed]), head=False)
                sys.stdout.flush()
        return
    from rich.live import Live

    out = console()
    with Live(console=out, auto_refresh=False) as live:
        live.update(_newest(known, limit, out), refresh=True)
        async for event, _, data in api.lines("/stream"):
            if event == "job":
                changed = json.loads(data)
                known[changed["id"]] = changed
            elif json.loads(data).get("many"):
                known = {job["id"]: job async for job in api.items("/jobs", limit=limit)}
            live.update(_newest(known, limit, out), refresh=True)


def _newest(known: dict[str, dict[str, Any]], limit: int, out: Any) -> Any:
    """Ids are in the order of time."""
    rows = min(limit, max(1, out.height - 2))
    for old in sorted(known, reverse=True)[limit:]:
        del known[old]
    jobs = [known[job_id] for job_id in sorted(known, reverse=True)[:rows]]
    return draw(jobs, job_columns(jobs), out.width) if jobs else "no jobs yet"


async def _read(api: Api, path: str, chosen: Mapping[str, Any], lines: Lines) -> None:
    after = None
    while True:
        page = await api.get(path, after=after, limit=PAGE, **chosen)
        for line in page["items"]:
            lines.say(line)
        if page["next_cursor"] is None:
            break
        after = page["next_cursor"]
    lines.end("no log lines" if page["ended"] else "no log lines yet")


async def _follow(api: Api, path: str, chosen: Mapping[str, Any], lines: Lines) -> None:
    """A server that goes away is asked again, behind the last line that was heard."""
    after, attempts = None, 0
    async for _ in pauses(first=0.5, longest=5):
        try:
            async for event, place, data in api.lines(path, follow=True, after=after, **chosen):
                attempts = 0
                if event == "end":
                    return
                after = place or after
                lines.say(json.loads(data))
        except Unreachable:
            attempts += 1
            if attempts > ATTEMPTS:
                raise


def _stream(said: str | None) -> str | None:
    if said is not None and said not in STREAMS:
        raise BadRequest(f"--stream is one of {', '.join(STREAMS)}, not {said!r}")
    return said
