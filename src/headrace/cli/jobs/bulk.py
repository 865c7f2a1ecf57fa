"""`headrace jobs bulk cancel|retry|delete`: change every job that fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import Yes, confirm, with_options
from headrace.cli.jobs.filters import JOB_FILTERS, as_sent
from headrace.cli.jobs.list import with_trigger
from headrace.cli.output.progress import bar, pauses
from headrace.cli.output.tables import Column, ago
from headrace.errors import BadRequest, HeadraceError

app = typer.Typer(no_args_is_help=True, help="Cancel, retry or delete all jobs that match the filters.")
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only count the matching jobs.")]


@with_options("filters", JOB_FILTERS)
async def cancel(call: Call, filters: dict[str, Any], yes: Yes = False, dry_run: DryRun = False) -> None:
    """Cancel every live job that matches.

    Example: headrace jobs bulk cancel --definition send_reminder --yes
    """
    await _change(call, "cancel", filters, yes=yes, dry_run=dry_run)


@with_options("filters", JOB_FILTERS)
async def retry(call: Call, filters: dict[str, Any], yes: Yes = False, dry_run: DryRun = False) -> None:
    """Retry every matching job that did not succeed (failed or dead_letter), or those with --status.

    Example: headrace jobs bulk retry --error timeout --since 1d --yes
    """
    await _change(call, "retry", filters, yes=yes, dry_run=dry_run)


@with_options("filters", JOB_FILTERS)
async def delete(call: Call, filters: dict[str, Any], yes: Yes = False, dry_run: DryRun = False) -> None:
    """Delete every matching ended job, with its attempts and log lines. Needs --status.

    Example: headrace jobs bulk delete --status canceled --until 7d --yes
    """
    if not filters.get("status"):
        raise BadRequest("--status is missing: name the jobs to delete, for example --status succeeded")
    await _change(call, "delete", filters, yes=yes, dry_run=dry_run)


async def list_changes(call: Call, limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500)] = 20) -> None:
    """List bulk operations, newest first.

    Example: headrace jobs bulk list
    """
    async with call.api() as api:
        found = (await api.get("/jobs/bulk", limit=limit))["items"]
    call.show.table(found, COLUMNS, empty="no bulk operations yet")


COLUMNS: Sequence[Column] = (
    Column("id", lambda change: change["id"], narrow=lambda change: change["id"][-12:]),
    Column("action", lambda change: change["action"]),
    Column("state", lambda change: change["state"]),
    Column("done", lambda change: f"{change['done']:,} of {change['expected']:,}", right=True),
    Column("begun", lambda change: f"{ago(change['created_at'])} ago"),
    Column("by", lambda change: change["created_by"], elastic=True, spare=True),
    Column("filter", lambda change: change["filter"], elastic=True),
)


async def _change(call: Call, action: str, filters: dict[str, Any], *, yes: bool, dry_run: bool) -> None:
    sent = as_sent(filters)
    async with call.api() as api:
        body = {"action": action, "filter": await with_trigger(api, sent)}
        count = await api.post("/jobs/bulk", {**body, "dry_run": True})
        words = f"{count['matching']:,}{' or more' if count['capped'] else ''} jobs"
        words = "1 job" if words == "1 jobs" else words
        if dry_run or not (count["matching"] or count["capped"]):
            call.show.said(f"{words} to {action}", count)
            return
        confirm(f"{action.capitalize()} {words}?", yes=yes)
        change = await _until_done(api, await api.post("/jobs/bulk", body), quiet=call.as_json)
    left = f", {change['left_alone']:,} unchanged: their status had changed" if change["left_alone"] else ""
    if change["state"] == "failed":
        raise HeadraceError(f"after {change['done']:,} jobs: {change['error']}")
    past = {"cancel": "canceled", "retry": "queued again", "delete": "deleted"}[action]
    stopped = "The operation was canceled before its end." if change["state"] == "canceled" else ""
    call.show.said(f"{change['done']:,} {past}{left}{stopped}", change)


async def _until_done(api: Api, change: dict[str, Any], *, quiet: bool) -> dict[str, Any]:
    with bar(change["action"], wanted=not quiet) as tell:
        async for _ in pauses():
            change = await api.get(f"/jobs/bulk/{change['id']}")
            if change["state"] != "running":
                break
            done = change["done"] + change["left_alone"]
            tell(done / change["expected"] if change["expected"] else None, f"{done:,} of {change['expected']:,}")
    return change


for name, function in (("cancel", cancel), ("retry", retry), ("delete", delete), ("list", list_changes)):
    app.command(name)(speaks_to_api(function))
