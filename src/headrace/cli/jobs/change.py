"""`headrace jobs enqueue|retry|cancel`: make jobs and change them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call
from headrace.cli.core.completion import definition_keys, job_ids
from headrace.cli.core.durations import duration, moment
from headrace.cli.core.errors import exit_code, tell
from headrace.cli.core.options import options_of, with_options
from headrace.cli.core.payload import Args, Payload, PayloadFile, read_payload, with_arguments
from headrace.cli.definitions.find import checked_key
from headrace.cli.jobs.find import JobFinder
from headrace.cli.jobs.wait_job import show_end, wait_until_ended
from headrace.errors import HeadraceError
from headrace.model.job.request import JobRequest

Key = Annotated[
    str, typer.Argument(metavar="DEFINITION", help="The definition to run.", autocompletion=definition_keys)
]
Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID…", help="Ids of jobs, or prefixes or suffixes of ids.", autocompletion=job_ids),
]
# What the command line reads in a form of its own; `-q` is short for the queue everywhere.
DELAY = Annotated[
    str | None, typer.Option("--delay", help="The delay before the earliest start of the job, for example 5m.")
]
AT = Annotated[str | None, typer.Option("--at", help="The job does not run before this time; UTC without a zone.")]
HOW = options_of(JobRequest, besides=("definition", "payload"), short={"queue": "-q"}) | {
    "delay_seconds": DELAY,
    "scheduled_for": AT,
}


@with_options("how", HOW)
async def enqueue(
    call: Call,
    definition: Key,
    how: dict[str, Any],
    payload: Payload = None,
    payload_file: PayloadFile = None,
    arg: Args = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until the job has ended; exit 1 unless it succeeded.")
    ] = False,
    timeout: Annotated[str | None, typer.Option("--timeout", help="The longest wait.")] = None,
) -> None:
    """Enqueue a job.

    Example: headrace jobs enqueue say_hello --arg name=world --wait
    """
    new = {"definition": definition, **_read(how)}
    JobRequest(**new)  # refuses a contradiction before anything is sent
    given = read_payload(payload, payload_file)
    patience = None if timeout is None else duration(timeout, "--timeout")
    async with call.api() as api:
        if arg:
            schema = (await api.get(f"/definitions/{checked_key(definition)}"))["payload_schema"]
            given = with_arguments(given, arg, schema)
        job = await api.post("/jobs", {**new, "payload": given or {}})
        known = api.last_status == 200
        if not wait:
            call.show.said(f"{'existing' if known else 'enqueued'}  {job['id']}  {job['status']}", job)
            return
        if not call.as_json:
            call.show.note(f"{'existing' if known else 'enqueued'}  {job['id']}")
        show_end(call, await wait_until_ended(api, job["id"], timeout=patience, quiet=call.as_json))


async def retry(call: Call, jobs: Ids, payload: Payload = None, payload_file: PayloadFile = None) -> None:
    """Retry ended jobs. With another payload each retry makes a new job, which replaces the failed one.

    Example: headrace jobs retry ID
    """
    given = read_payload(payload, payload_file)

    async def change(api: Api, job_id: str) -> None:
        job = await api.post(f"/jobs/{job_id}/retry", None if given is None else {"payload": given})
        new = f" as {job['id']}" if job["id"] != job_id else ""
        call.show.said(f"{job_id}  {job['status']} again{new}", job)

    await _each(call, jobs, change)


async def cancel(call: Call, jobs: Ids) -> None:
    """Cancel jobs. Running jobs are asked to stop; ended jobs do not change.

    Example: headrace jobs cancel ID
    """

    async def change(api: Api, job_id: str) -> None:
        job = await api.post(f"/jobs/{job_id}/cancel")
        words = {"canceled": "canceled", "running": "is asked to stop"}.get(
            job["status"], f"had ended: {job['status']}"
        )
        call.show.said(f"{job_id}  {words}", job)

    await _each(call, jobs, change)


async def _each(call: Call, jobs: list[str], change: Callable[[Api, str], Awaitable[None]]) -> None:
    """One after the other; what fails is told and does not keep the others from being done."""
    code = 0
    async with call.api() as api:
        finder = JobFinder(api)
        for part in jobs:
            try:
                await change(api, await finder.id(part))
            except HeadraceError as error:
                if len(jobs) == 1:
                    raise
                tell(error)
                code = code or exit_code(error)
    if code:
        raise typer.Exit(code)


def _read(how: dict[str, Any]) -> dict[str, Any]:
    """As the API reads them."""
    sent = dict(how)
    if "delay_seconds" in how:
        sent["delay_seconds"] = duration(how["delay_seconds"], "--delay")
    if "scheduled_for" in how:
        sent["scheduled_for"] = moment(how["scheduled_for"], "--at")
    return sent
