"""`python -m tests.chaos.storm`: a storm with a seed and a length of your choice, and a table at its end."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from pathlib import Path

from tests.chaos.storm.plan import KINDS
from tests.chaos.storm.storm import A_SECOND, storm


def main() -> int:
    """1 when anything was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.storm", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="what is planned follows from it")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long faults are injected")
    parser.add_argument("--rate", type=float, default=A_SECOND, help="faults a second")
    parser.add_argument("--without", action="append", default=[], choices=KINDS, help="a kind of fault to leave out")
    parser.add_argument("--only", action="append", default=[], choices=KINDS, help="a kind of fault to inject alone")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends in order, as Ctrl-C does
    without = [*asked.without, *(kind for kind in KINDS if asked.only and kind not in asked.only)]
    report = asyncio.run(storm(asked.seed, asked.minutes * 60, a_second=asked.rate, without=without))
    print(report.table())
    if asked.json is not None:
        asked.json.write_text(json.dumps(report.figures(), indent=1) + "\n")
    return 0 if report.findings.nothing() else 1


if __name__ == "__main__":
    sys.exit(main())
