"""A worker process for a test to kill: `python -m tests.executors.sql.doomed_worker <url> <function>`."""

from __future__ import annotations

import asyncio
import sys

from headrace.executors.sql import SqlExecutor, SqlFunction


def say(_severity: str, message: str) -> None:
    """So that the test knows how far the function is."""
    print(message, flush=True)


async def main(url: str, name: str) -> None:
    """Run the function until somebody ends this process."""
    executor = SqlExecutor(url, allowed_schemas=("app",))
    await executor.run(SqlFunction("app", name, "()"), "{}", timeout=None, kill_grace=5, on_notice=say)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
