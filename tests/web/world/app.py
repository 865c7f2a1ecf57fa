"""What the dashboard's tests run: jobs that succeed, fail, wait, talk and take a while."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from headrace import Context, Fail, Headrace, RetryPolicy

hr = Headrace(app="web")


@hr.job
async def greet(name: str, times: Annotated[int, Field(ge=1, le=9)] = 1, tone: Literal["warm", "dry"] = "warm") -> str:
    """Says hello, so many times."""
    return f"hello {name}! " * times


@hr.job(max_attempts=1)
async def fail(text: str = "it broke") -> None:
    """Fails for good with what it is told."""
    raise Fail(text)


@hr.job(max_attempts=2, retry=RetryPolicy(base=timedelta(milliseconds=50), jitter=timedelta(0)))
async def give_up(text: str = "no answer") -> None:
    """Fails until it is out of attempts."""
    raise TimeoutError(text)


@hr.job(max_attempts=1)
async def hold(ctx: Context, say: str = "still here") -> None:
    """Runs until it is told to stop, and talks meanwhile."""
    ctx.progress(0.62, "1,240 of 2,000 files")
    n = 0
    while True:
        n += 1
        print(f"{say} {n}")
        await asyncio.sleep(0.3)


@hr.job(max_attempts=1)
async def talk(ctx: Context, lines: int = 3, text: str = "line") -> int:
    """Prints and logs, in colours too."""
    ctx.log.warning("begins", lines=lines)
    print("\x1b[1;32mgreen and bold\x1b[0m and plain \x1b[31mred\x1b[0m")
    for n in range(lines):
        print(f"{text} {n + 1}")
    ctx.log.error(text)
    return lines


@hr.job(max_attempts=1)
async def keep(api_key: SecretStr, note: str = "", nested: dict[str, str] | None = None) -> dict[str, object]:
    """Has a secret; fails where it is told so."""
    if note == "fail":
        raise Fail(note)
    return {"note": note, "nested": nested}


@hr.job(queue="nobody", cron="0 3 * * *")
async def nightly() -> None:
    """Due each night."""
