"""`headrace worker`: run jobs."""

from __future__ import annotations

from typing import Annotated

import typer

from headrace.app import Headrace
from headrace.cli.core.config_option import ConfigFile
from headrace.cli.core.load_app import load_app
from headrace.cli.process.log_output import obey_log_settings, set_up_logs
from headrace.cli.process.run import log_configuration, run_loop, serve_http_worker, serve_worker
from headrace.cli.process.supervisor import run_processes
from headrace.config import Settings
from headrace.errors import BadRequest


def worker(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE:NAME]",
            help="The Headrace object, for example app:hr; when absent, only commands and SQL jobs.",
        ),
    ] = None,
    queues: Annotated[str | None, typer.Option(help="Queues to serve, separated by commas; all when absent.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Jobs at a time in each process (1 to 1024).")] = None,
    url: Annotated[
        str | None,
        typer.Option(envvar="HEADRACE_URL", help="A Headrace server to work through, without a database login."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(envvar="HEADRACE_TOKEN", help="A worker's token for that server; HEADRACE_TOKEN is safer."),
    ] = None,
    processes: Annotated[int, typer.Option(min=1, max=64, help="Worker processes to run.")] = 1,
    config: ConfigFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log at debug level.")] = False,
) -> None:
    """Run a worker: claim jobs and run them until a signal.

    SIGTERM or Ctrl-C lets running jobs finish, gives the rest back and stops; a second signal ends at once.
    SIGHUP reads the commands of headrace.toml again. A database or a server that is away is waited for.

    Example: headrace worker shop.jobs:hr --queues mail,default --concurrency 16
    """
    set_up_logs(verbose=verbose)
    hr = load_app(target) if target is not None else Headrace(app="headrace-worker")
    hr.configure(
        {
            "jobs.worker_concurrency": concurrency,
            "jobs.queues": [name.strip() for name in queues.split(",") if name.strip()] if queues else None,
        }
    )
    settings = hr.settings  # bad ones are reported before anything starts
    obey_log_settings(settings.logs, verbose=verbose)
    log_configuration(hr)
    if target is None:
        _refuse_to_idle(settings, over_http=url is not None)
    if processes == 1:
        run_loop(serve_worker(hr, waits=True) if url is None else serve_http_worker(hr, url, _required(token)))
    else:
        run_processes(processes)


def _required(token: str | None) -> str:
    if not token:
        raise BadRequest(
            "a worker over HTTP needs a token: set HEADRACE_TOKEN. Create one with headrace tokens create."
        )
    return token


def _refuse_to_idle(settings: Settings, *, over_http: bool) -> None:
    """Without an app there must be commands or SQL jobs; the embedded server always has a login for these."""
    if over_http and not settings.commands:
        raise BadRequest(
            "there is nothing to serve: no app is named, and headrace.toml has no table [commands.…]. SQL jobs are not "
            "served over HTTP. Name an app (headrace worker app:hr --url …) or add a command."
        )
    if over_http:
        return
    if not settings.commands and settings.sql.database_url is None and settings.database.url is not None:
        raise BadRequest(
            "there is nothing to serve: no app is named, headrace.toml has no table [commands.…], and SQL jobs have no "
            "login. Name an app (headrace worker app:hr), add a command, or set sql.database_url."
        )
