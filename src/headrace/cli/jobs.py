"""`headrace jobs`: list, show, enqueue, retry, cancel, follow."""

from __future__ import annotations

import typer

from headrace.cli import jobs_bulk, jobs_change, jobs_follow, jobs_look
from headrace.cli.call import speaks_to_api

app = typer.Typer(no_args_is_help=True, help="List, show, enqueue, retry, cancel, follow.")

COMMANDS = {
    "list": jobs_look.list_jobs,
    "show": jobs_look.show_job,
    "enqueue": jobs_change.enqueue,
    "retry": jobs_change.retry,
    "cancel": jobs_change.cancel,
    "logs": jobs_follow.show_logs,
    "attempts": jobs_look.show_attempts,
    "wait": jobs_follow.wait,
    "why": jobs_look.explain,
    "watch": jobs_follow.watch,
}
for name, function in COMMANDS.items():
    app.command(name)(speaks_to_api(function))
app.add_typer(jobs_bulk.app, name="bulk")
