"""`headrace retention`: how long history is kept, and letting go of what is too old."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.durations import duration
from headrace.cli.jobs.wait_job import show_end, wait_until_ended
from headrace.cli.output.tables import Column, size, when

app = typer.Typer(help="Show and apply retention.", no_args_is_help=True)

SHARES = [
    Column("definition", lambda one: one["definition"], elastic=True),
    Column("jobs", lambda one: f"{one['jobs']:,}", right=True),
    Column("size", lambda one: size(one["bytes"]), right=True),
]


@app.command("show")
@speaks_to_api
async def show_command(call: Call) -> None:
    """Show the settings of retention, how much is stored, and the last run.

    Example: headrace retention show
    """
    async with call.api() as api:
        found = await api.get("/admin/retention")
    call.show.item(found, _rows(found))


@app.command("run")
@speaks_to_api
async def run_command(
    call: Call,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and change nothing.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait for the end.")] = True,
    timeout: Annotated[str | None, typer.Option("--timeout", help="The longest wait, for example 5m.")] = None,
) -> None:
    """Let a worker remove old history now.

    Example: headrace retention run --dry-run
    """
    patience = None if timeout is None else duration(timeout, "--timeout")
    async with call.api() as api:
        if dry_run:
            _show_preview(call, await api.get("/admin/retention/preview"))
            return
        job_id = (await api.post("/admin/retention/run"))["job_id"]
        if not wait:
            call.show.said(f"a job was enqueued: headrace jobs wait {job_id}", {"job_id": job_id})
            return
        show_end(call, await wait_until_ended(api, job_id, timeout=patience, quiet=call.as_json))


def _show_preview(call: Call, found: dict[str, Any]) -> None:
    if call.as_json:
        call.show.item(found, [])
        return
    weeks = ", ".join(one["lower_bound"][:10] for one in found["weeks"])
    call.show.table(found["definitions"], SHARES, empty="nothing would be removed")
    if found["jobs"]:
        call.show.note(f"{_jobs(found['jobs'])} would be removed, about {size(found['bytes'])}")
    if weeks:
        call.show.note(f"whole weeks: {weeks}")


def _rows(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    days, last = found["settings"], found["last_run"]
    weeks = found["weeks"]
    return [
        *((name.removesuffix("_days").replace("_", " "), f"{value:g} days") for name, value in days.items()),
        *((one["definition"], _own(one)) for one in found["definitions"]),
        ("weeks", f"{len(weeks)}, from {weeks[0]['lower_bound'][:10]}" if weeks else None),
        ("size", f"{size(sum(week['bytes'] for week in weeks))}, about {sum(week['jobs'] for week in weeks):,} jobs"),
        ("being removed", ", ".join(week["lower_bound"][:10] for week in weeks if week["leaving"])),
        ("last run", None if last is None else f"{last['status']} {when(last['finished_at'])}"),
        ("removed", None if last is None or not last["result"] else _jobs(last["result"].get("jobs", 0))),
    ]


def _jobs(n: int) -> str:
    return f"{n:,} {'job' if n == 1 else 'jobs'}"


def _own(one: Mapping[str, Any]) -> str:
    days = "as configured" if one["days"] is None else f"{one['days']:g} days"
    return days if one["count"] is None else f"{days}, and the last {one['count']:,}"
