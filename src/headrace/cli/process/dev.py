"""`headrace dev`: everything in one process."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

import headrace
from headrace.app.serve.serve import address, serving
from headrace.app.serve.sign_in_link import ADMIN_TOKEN, admin_token, sign_in_link
from headrace.cli.core.config_option import ConfigFile
from headrace.cli.core.load_app import load_app
from headrace.cli.process.log_output import obey_log_settings, set_up_logs
from headrace.cli.process.run import log_configuration, run_loop, serve_worker
from headrace.config import load_settings
from headrace.errors import NotFound
from headrace.log import get_logger
from headrace.service.tokens.sign_in_codes import LASTS

log = get_logger("headrace")


def dev(
    target: Annotated[
        str | None, typer.Argument(metavar="[MODULE:NAME]", help="The Headrace object; an example app when absent.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the embedded PostgreSQL.")] = None,
    host: Annotated[str | None, typer.Option(help="Address of the API.")] = None,
    port: Annotated[int | None, typer.Option(help="Port of the API.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Jobs at a time (1 to 1024).")] = None,
    config: ConfigFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log at debug level.")] = False,
) -> None:
    """Run an embedded PostgreSQL, migrations, the API and a worker in one process. Ctrl-C stops everything.

    Example: headrace dev app:hr --data-dir /tmp/try
    """
    set_up_logs(readable=True, verbose=verbose)
    tour = None if target else load_tour()
    hr = tour.hr if tour else load_app(str(target))
    hr.configure(
        {"data_dir": data_dir, "server.host": host, "server.port": port, "jobs.worker_concurrency": concurrency}
    )
    settings = hr.settings
    obey_log_settings(settings.logs, verbose=verbose)
    log_configuration(hr)
    where = "your PostgreSQL" if settings.database.url else f"an embedded PostgreSQL in {settings.data_dir}"
    log.info(f"Headrace {headrace.__version__} started on {where}", jobs=sorted(hr.handlers))
    run_loop(serve_worker(hr, announce=True, after_start=tour.enqueue_samples if tour else None, beside=_with_api))


@asynccontextmanager
async def _with_api(hr: headrace.Headrace) -> AsyncIterator[None]:
    await admin_token(hr)  # without one no address is opened that others reach
    async with serving(hr, any_port=True) as where:
        link = await sign_in_link(hr, where)
        kept = hr.settings.data_dir / ADMIN_TOKEN
        log.info(f"API served at {where}/api/v1 with the token in {kept}")
        log.info(
            f"sign in at {link} within {LASTS.total_seconds():g} seconds; for a new link run: {_new_link(hr, where)}"
        )
        yield


def _new_link(hr: headrace.Headrace, where: str) -> str:
    """The command, with what it would not find out by itself."""
    found = load_settings()
    words = ["headrace", "sign-in", *([where] if where != address(found.server) else [])]
    if hr.settings.data_dir != found.data_dir:
        words += ["--data-dir", str(hr.settings.data_dir)]
    if "HEADRACE_CONFIG" in os.environ:
        words += ["--config", os.environ["HEADRACE_CONFIG"]]
    return shlex.join(words)


def load_tour() -> ModuleType:
    """The example app: beside this package when installed, in the checkout's `examples/` otherwise."""
    package = Path(headrace.__file__).parent
    for file in (package / "examples" / "tour.py", package.parents[1] / "examples" / "tour.py"):
        if file.is_file():
            spec = importlib.util.spec_from_file_location("tour", file)
            if spec is None or spec.loader is None:
                continue
            module = importlib.util.module_from_spec(spec)
            sys.modules["tour"] = module
            spec.loader.exec_module(module)
            return module
    raise NotFound("the tour is not installed: give a MODULE:NAME")
