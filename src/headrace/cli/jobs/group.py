"""`headrace jobs`: list, show, enqueue, retry, cancel, follow."""

from __future__ import annotations

import typer

from headrace.cli.core.call import speaks_to_api
from headrace.cli.jobs import bulk as jobs_bulk
from headrace.cli.jobs import change as jobs_change
from headrace.cli.jobs import follow as jobs_follow
from headrace.cli.jobs import list as jobs_list

app = typer.Typer(no_args_is_help=True, help="List, show, enqueue, retry, cancel and follow jobs.")

COMMANDS = {
    "list": jobs_list.list_jobs,
    "show": jobs_list.show_job,
    "enqueue": jobs_change.enqueue,
    "retry": jobs_change.retry,
    "cancel": jobs_change.cancel,
    "logs": jobs_follow.show_logs,
    "attempts": jobs_list.show_attempts,
    "wait": jobs_follow.wait,
    "why": jobs_list.explain,
    "watch": jobs_follow.watch,
}
for name, function in COMMANDS.items():
    app.command(name)(speaks_to_api(function))
app.add_typer(jobs_bulk.app, name="bulk")
