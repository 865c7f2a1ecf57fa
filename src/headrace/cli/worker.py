"""`headrace worker`: run jobs."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.app import Headrace
from headrace.cli.load import load_app
from headrace.cli.logs import set_up_logs
from headrace.cli.processes import run_processes
from headrace.cli.run import run_loop, serve_worker


def worker(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE:NAME]", help="The Headrace object, such as app:hr; without it only commands and SQL."
        ),
    ] = None,
    queues: Annotated[str | None, typer.Option(help="Queues to serve, separated by commas; all when absent.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Jobs at a time in each process (1 to 1024).")] = None,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Worker processes to run.")] = 1,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say more.")] = False,
) -> None:
    """Run a worker: claim jobs and run them until told to stop.

    SIGTERM or Ctrl-C lets running jobs finish, gives the rest back and stops; a second signal ends at once.
    SIGHUP reads the commands of headrace.toml again.

    Example: headrace worker shop.jobs:hr --queues mail,default --concurrency 16
    """
    set_up_logs(verbose=verbose)
    hr = load_app(target) if target is not None else Headrace(app="headrace worker")
    hr.configure(
        {
            "jobs.worker_concurrency": concurrency,
            "jobs.queues": [name.strip() for name in queues.split(",") if name.strip()] if queues else None,
        }
    )
    _ = hr.settings  # bad settings are reported before anything starts
    if processes == 1:
        run_loop(serve_worker(hr))
    else:
        run_processes(processes)
