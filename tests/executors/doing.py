"""Running one job in a child, and looking after processes."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from tests.executors.isolated_jobs import Job
from tests.waiting import until

from headrace.context import Context
from headrace.executors.process import ProcessExecutor
from headrace.model.job.record import ClaimedJob, Terms

JOB_ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
PLANNED = datetime(2030, 2, 3, 4, 5, tzinfo=UTC)
Reports = list[tuple[float | None, str | None]]


def context(reports: Reports | None = None) -> Context:
    """A context that collects what is reported."""
    job = ClaimedJob(JOB_ID, 7, 2, 5, Terms("mail"), "acme", "{}", "order-1", PLANNED, "schedule")
    kept: Reports = [] if reports is None else reports
    return Context(job, lambda _id, fraction, message: kept.append((fraction, message)))


async def call(executor: ProcessExecutor, job: Job, **arguments: Any) -> Any:
    """Run the job to its end."""
    return await executor.run(job.handler, json.dumps(arguments), context())


async def begin(
    executor: ProcessExecutor, job: Job, file: Path, **arguments: Any
) -> tuple[asyncio.Task[Any], list[int]]:
    """Start the job and wait until it has announced its processes."""
    task = asyncio.create_task(call(executor, job, file=str(file), **arguments))
    await until("the handler runs", lambda: file.exists() or task.done())
    return task, json.loads(file.read_text())


def ended(pid: int) -> bool:
    """Whether the process is gone, or a zombie that nobody has collected yet."""
    stat = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        try:
            return stat.read_text().rpartition(")")[2].split()[0] in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return True
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return not done.stdout.strip() or done.stdout.strip().startswith("Z")


def open_files() -> int:
    """How many descriptors this process has."""
    return len(os.listdir("/dev/fd"))
