"""How long the command line takes to start: help, and a list over a server and without one."""

from __future__ import annotations

import asyncio
import compileall
import os
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import headrace
from bench.app import hr
from bench.lines import Line, Scale, at_most
from bench.over_http import serving
from bench.stage import Stage
from headrace.service import Service

STARTS = 21
ENTRY = "from headrace.cli.entry import run; run()"


async def measure_cli(stage: Stage, _scale: Scale) -> list[Line]:
    """Medians of many starts, taken in turns, beside a Python that does nothing."""
    compileall.compile_dir(Path(headrace.__file__).parent, quiet=2)  # as an installed package is
    await stage.clear()
    await stage.fill(100)
    async with hr:
        made = await Service(hr).tokens.create("bench", "super_admin")
    async with serving(stage) as url:
        at_server = {"HEADRACE_URL": url, "HEADRACE_TOKEN": made.token}
        in_process = {"HEADRACE_DATABASE_URL": stage.endpoint.url}
        took: dict[str, list[float]] = {"bare": [], "help": [], "server": [], "in process": []}
        for _ in range(STARTS):
            took["bare"].append(await _start({}, "-c", "pass"))
            took["help"].append(await _start({}, "-c", ENTRY, "--help"))
            took["server"].append(await _start(at_server, "-c", ENTRY, "jobs", "list"))
            took["in process"].append(await _start(in_process, "-c", ENTRY, "jobs", "list"))
    bare, shown, server, local = (statistics.median(times) for times in took.values())
    return [
        Line("start of a Python that does nothing", bare, "ms"),
        at_most("headrace --help", shown, "ms", 150),
        Line("headrace --help, of a bare start", shown / bare, "×"),
        at_most("headrace jobs list, over a server", server, "ms", 400),
        Line("headrace jobs list over a server, of a bare start", server / bare, "×"),
        at_most("headrace jobs list, without a server", local, "ms", 400),
        Line("headrace jobs list without a server, of a bare start", local / bare, "×"),
    ]


async def _start(variables: Mapping[str, str], *words: str) -> float:
    """Milliseconds from the start of a process to its end."""
    kept = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE" and not n.startswith("HEADRACE_")}
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, env={**kept, **variables}, stdout=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 0
    return (time.perf_counter() - began) * 1000
