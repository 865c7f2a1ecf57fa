"""A worker process for a test to kill: `python -m tests.executors.doomed_worker <job> <file>`."""

from __future__ import annotations

import asyncio
import sys

from tests.executors import isolated_jobs
from tests.executors.doing import call

from headrace.executors.process import ProcessExecutor


async def main(job: str, file: str) -> None:
    """Run the job until somebody ends this process."""
    await call(ProcessExecutor(), getattr(isolated_jobs, job), file=file)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
