"""A script whose job is in its main module; it prints what the job returned."""

from __future__ import annotations

import asyncio
import os

from tests.executors.doing import call
from tests.executors.isolated_jobs import Job

from headrace.context import Context
from headrace.executors.process import ProcessExecutor


@Job
def who(_ctx: Context) -> list[object]:
    return [__name__, os.getpid()]


async def main() -> None:
    """Run the job in a child."""
    executor = ProcessExecutor()
    name, pid = await call(executor, who)
    await executor.close()
    print(name, pid != os.getpid())


if __name__ == "__main__":
    asyncio.run(main())
