"""Handlers with much to say, in processes of their own, which import them from here."""

from __future__ import annotations

import logging
import subprocess
import sys

from headrace import Context, Headrace

hr = Headrace(app="tests.contract.apart")


@hr.job(isolation="process")
def speak_apart(ctx: Context) -> None:
    """In all ways there are."""
    print("printed")
    print("to stderr", file=sys.stderr)
    logging.getLogger("shop").warning("logged %d", 1)
    ctx.log.info("said", n=1)
    subprocess.run(["/bin/echo", "a child"], check=True)


@hr.job(isolation="process")
def leave_flood_apart() -> str:
    """Ends, and leaves a process behind that prints without end."""
    subprocess.Popen(["/usr/bin/yes"])
    return "ended"


@hr.job(isolation="process", max_attempts=1)
def leak_across_the_cut_apart(password: str, ctx: Context) -> None:
    """Says a secret just where a line is too long."""
    ctx.log.info("x" * (16_384 - 8) + password)
    ctx.progress(0.5, f"half way with {password}")
