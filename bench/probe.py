"""A client in a process of its own: `python -m bench.probe COUNT` enqueues job after job, and prints when."""

from __future__ import annotations

import argparse
import asyncio
import json
import time

import uvloop

from bench.app import hr

WARM = 20
PAUSE = 0.03


async def probe(count: int) -> list[float]:
    """The moments at which jobs 1 to `count` were about to be enqueued, by the clock that all processes share."""
    began = []
    async with hr:
        for number in range(1 - WARM, count + 1):
            at = time.perf_counter()
            await hr.enqueue("noop", {"number": max(0, number)}, tenant="small")
            if number > 0:
                began.append(at)
            await asyncio.sleep(PAUSE)
    return began


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int)
    print(json.dumps(uvloop.run(probe(parser.parse_args().count))))
