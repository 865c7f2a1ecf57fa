"""The program `headrace`: `main` in a process of its own, which starts and ends quickly."""

from __future__ import annotations

import gc
import os
import sys
import threading


def run() -> None:
    """What is installed as `headrace`."""
    # Nearly all that is made while modules load stays: looking through it again and again finds nothing.
    gc.set_threshold(50_000, 20, 50)
    from headrace.cli.main import main

    try:
        main()
    except SystemExit as end:
        _leave(end.code)


def _leave(code: object) -> None:
    """End without taking every module apart, which takes longer than many a command; in order where others work."""
    if threading.active_count() > 1 or not isinstance(code, int | None):
        sys.exit(code)  # type: ignore[arg-type]
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(code)  # Python knows what to say
    os._exit(code or 0)
