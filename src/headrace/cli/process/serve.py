"""`headrace serve`: the API, with the scheduler beside it."""

from __future__ import annotations

import asyncio
import signal
from typing import Annotated

import typer

from headrace.app import Headrace
from headrace.app.serve.serve import serving, upkeep
from headrace.cli.core.config_option import ConfigFile
from headrace.cli.core.load_app import load_app
from headrace.cli.process.log_output import obey_log_settings, set_up_logs
from headrace.cli.process.run import log_configuration, opened, run_loop
from headrace.cli.startup.garbage_collector import tame_garbage_collection
from headrace.log import get_logger

log = get_logger("headrace")


def serve(
    target: Annotated[
        str | None, typer.Argument(metavar="[MODULE:NAME]", help="The Headrace object, whose definitions are synced.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Address to bind; only this machine by default.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to bind.")] = None,
    config: ConfigFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log at debug level.")] = False,
) -> None:
    """Serve the API, and fire triggers; workers run the jobs.

    Example: headrace serve --host 127.0.0.1 --port 8720
    """
    set_up_logs(verbose=verbose)
    hr = load_app(target) if target is not None else Headrace(app="headrace-serve")
    hr.configure({"server.host": host, "server.port": port})
    settings = hr.settings  # bad ones are reported before anything starts
    obey_log_settings(settings.logs, verbose=verbose)
    log_configuration(hr)
    run_loop(_serve(hr))


async def _serve(hr: Headrace) -> None:
    async with opened(hr), upkeep(hr), serving(hr) as where:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        log.info("server started", address=where)
        tame_garbage_collection()
        await stop.wait()
        log.info("shutdown started")
    log.info("server stopped")
