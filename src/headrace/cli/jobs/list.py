"""`headrace jobs list|show|attempts|why`: look at jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call
from headrace.cli.core.completion import job_ids
from headrace.cli.core.durations import duration
from headrace.cli.core.options import All, Limit, how_many, with_options
from headrace.cli.jobs.filters import JOB_FILTERS, as_sent
from headrace.cli.jobs.find import JobFinder, find_job
from headrace.cli.jobs.tables import attempt_columns, job_columns, job_rows
from headrace.cli.output.progress import redraw
from headrace.cli.triggers.find import trigger_id

JobId = Annotated[
    str,
    typer.Argument(metavar="ID", help="The job's id; a prefix or a suffix is enough.", autocompletion=job_ids),
]
LIVE = ("scheduled", "queued", "running")


@with_options("filters", JOB_FILTERS)
async def list_jobs(
    call: Call,
    filters: dict[str, Any],
    limit: Limit = 50,
    everything: All = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Refresh the list until Ctrl-C.")] = False,
    every: Annotated[str, typer.Option("--every", help="The time between refreshes with --watch.")] = "2s",
) -> None:
    """List jobs, newest first, that match all filters.

    Example: headrace jobs list --status failed --since 2h
    """
    sent, pause = as_sent(filters), duration(every, "--every")
    async with call.api() as api:
        sent = await with_trigger(api, sent)

        def found() -> AsyncIterator[dict[str, Any]]:
            return api.items("/jobs", limit=how_many(limit, everything), **sent)

        if watch:
            await redraw(call.show, lambda: _collected(found()), job_columns, every=pause)
        if call.as_json:
            async for job in found():
                call.show.json_line(job)
            return
        jobs = await _collected(found())
    call.show.table(jobs, job_columns(jobs), empty="no jobs" + (" match these filters" if filters else " yet"))


async def show_job(call: Call, job: JobId) -> None:
    """Show one job: payload, result, progress, attempts, and the reason if it waits.

    Example: headrace jobs show ID
    """
    async with call.api() as api:
        found = await find_job(api, job)
        if call.as_json:
            call.show.json(found)
            return
        why = (await api.get(f"/jobs/{found['id']}/why"))["reasons"] if found["status"] in LIVE else []
        page = await api.get(f"/jobs/{found['id']}/attempts")
    attempts = page["items"]
    call.show.item(found, job_rows(found, [reason for reason in why if reason["code"] != "running"]))
    if attempts:
        call.show.note("")
        call.show.table(attempts, attempt_columns(attempts))
    if page["next_cursor"]:
        call.show.note(f"\nThere are earlier attempts: headrace jobs attempts {found['id']} --all")


async def show_attempts(
    call: Call,
    job: JobId,
    traceback: Annotated[bool, typer.Option("--traceback", help="With the traceback of each attempt.")] = False,
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """Show the outcome of the newest attempts of a job, in order.

    Example: headrace jobs attempts ID --traceback
    """
    async with call.api() as api:
        path = f"/jobs/{await JobFinder(api).id(job)}/attempts"
        # Each page has attempts earlier than those of the page before.
        attempts = await _collected(api.items(path, limit=how_many(limit, everything)))
    attempts.sort(key=lambda attempt: attempt["run"])
    call.show.table(attempts, attempt_columns(attempts), empty="no attempt has ended yet")
    for attempt in attempts if traceback else []:
        if attempt["traceback"]:
            call.show.note(f"\nrun {attempt['run']}:\n{attempt['traceback'].rstrip()}")


async def explain(call: Call, job: JobId) -> None:
    """Show why a job is not running. For a running job show its worker, the start, and whether the worker is silent.

    Example: headrace jobs why ID
    """
    async with call.api() as api:
        answer = await api.get(f"/jobs/{await JobFinder(api).id(job)}/why")
    call.show.said("\n".join(reason["detail"] for reason in answer["reasons"]), answer)


async def with_trigger(api: Api, sent: dict[str, Any]) -> dict[str, Any]:
    """The API knows triggers by their ids alone."""
    return {**sent, "trigger": await trigger_id(api, sent["trigger"])} if "trigger" in sent else sent


async def _collected(items: AsyncIterator[dict[str, Any]]) -> list[dict[str, Any]]:
    return [item async for item in items]
