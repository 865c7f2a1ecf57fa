"""Waiting for the end of a job."""

from __future__ import annotations

import math
import time
from typing import Any

import typer

from headrace.cli.core.api import Api
from headrace.cli.core.call import Call
from headrace.cli.output.progress import bar, pauses
from headrace.cli.output.tables import as_json, between, one_line
from headrace.errors import HeadraceError

LIVE = ("scheduled", "queued", "running")


class StillGoing(HeadraceError):
    """The job has not ended yet."""

    code, status = "still_going", 504


async def wait_until_ended(api: Api, job_id: str, *, timeout: float | None, quiet: bool = False) -> dict[str, Any]:
    """The job when it has ended, or `StillGoing`; with a bar on a terminal."""
    deadline = math.inf if timeout is None else time.monotonic() + timeout
    with bar("", wanted=not quiet) as tell:
        async for _ in pauses():
            job: dict[str, Any] = await api.get(f"/jobs/{job_id}")
            if job["status"] not in LIVE:
                return job
            if time.monotonic() >= deadline:
                break
            tell(job["progress"], f"{job['status']} {job['progress_message'] or ''}".strip())
    raise StillGoing(f"the job is still {job['status']} after {timeout:g} s: see headrace jobs why {job_id}")


def show_end(call: Call, job: dict[str, Any]) -> None:
    """How it ended, in words and as the exit code."""
    took = between(job["started_at"], job["finished_at"])
    result = "" if job["result"] is None else f"  {as_json(job['result'])}"
    error = f"  {one_line(job['last_error'])}" if job["last_error"] and job["status"] != "succeeded" else ""
    call.show.said(f"{job['status']} in {took}{result}{error}" if took != "-" else f"{job['status']}{error}", job)
    if job["status"] != "succeeded":
        raise typer.Exit(1)
