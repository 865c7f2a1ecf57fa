"""`make bench`: measure, print a table, write JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import time
from dataclasses import asdict
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

from bench.app import hr
from bench.lines import QUICK, Line, Scale
from bench.scenarios import SCENARIOS
from bench.stage import open_stage

RESULTS = Path(__file__).parent / "results"


async def measure(names: list[str], scale: Scale) -> list[Line]:
    """Run the scenarios one after the other on one server."""
    console = Console(stderr=True)
    lines: list[Line] = []
    async with open_stage() as stage:
        hr.configure({"database.url": stage.endpoint.url})
        for name in names:
            began = time.monotonic()
            with console.status(f"measuring {name} …"):
                lines += await SCENARIOS[name](stage, scale)
            console.print(f"[dim]{name}: {time.monotonic() - began:.0f} s[/]")
    return lines


def show(lines: list[Line]) -> None:
    """A table for people."""
    table = Table("what", "measured", "wanted", "")
    for line in lines:
        figure = f"{line.value:,.0f}" if line.value >= 100 else f"{line.value:.3g}"
        mark = "" if line.holds is None else "[green]yes[/]" if line.holds else "[red]no[/]"
        table.add_row(line.name, f"{figure} {line.unit}".strip(), line.wanted, mark)
    Console().print(table)


def write(lines: list[Line]) -> Path:
    """The same for programs."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{time.strftime('%Y%m%d-%H%M%S')}.json"
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()}
    file.write_text(json.dumps({"machine": machine, "lines": [asdict(line) for line in lines]}, indent=2))
    return file


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=f"some of: {', '.join(SCENARIOS)}")
    parser.add_argument("--quick", action="store_true", help="small numbers, to try the bench itself")
    arguments = parser.parse_args()
    if unknown := set(arguments.scenarios) - set(SCENARIOS):
        parser.error(f"unknown: {', '.join(sorted(unknown))} (there are {', '.join(SCENARIOS)})")
    work = measure(arguments.scenarios or list(SCENARIOS), QUICK if arguments.quick else Scale())
    lines = asyncio.run(work) if os.name == "nt" else uvloop.run(work)
    show(lines)
    print(f"written to {write(lines)}")


main()
