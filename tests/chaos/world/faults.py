"""Processes that are killed, stopped and cut off at random, and an operator who changes triggers meanwhile."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

from tests.chaos.world.fires import History, Stretch
from tests.chaos.world.processes import Workers
from tests.waiting import PATIENCE, until

from headrace.db.connect import Connection
from headrace.triggers.change import set_enabled, update_trigger

# What they enqueue is for nobody: claims and handlers are no part of this.
SERVE_NOTHING = ("--queues", "nothing")
END_OF_TIME = datetime.max
INTERVALS = (0.5, 1.0, 1.5)
LONGEST_STOP = 4.0
LOOK_EVERY = 0.1


async def wait(seconds: float) -> None:
    """Let time pass."""
    end = time.monotonic() + seconds
    await until("time has passed", lambda: time.monotonic() >= end, patience=PATIENCE + seconds)


class Herd:
    """So many processes, each replaced when it is killed."""

    def __init__(self, workers: Workers, size: int, chance: random.Random) -> None:
        self._workers = workers
        self._chance = chance
        self._running = [workers.start(*SERVE_NOTHING) for _ in range(size)]
        self._stopped: dict[int, float] = {}
        self.kills = self.stops = self.cuts = 0

    def kill_one(self) -> None:
        """SIGKILL, and another in its place."""
        place = self._chance.randrange(len(self._running))
        victim = self._running[place]
        victim.kill()
        victim.wait(PATIENCE)
        self._stopped.pop(victim.pid, None)
        self._running[place] = self._workers.start(*SERVE_NOTHING)
        self.kills += 1

    def stop_one(self) -> None:
        """SIGSTOP, for a while."""
        victim = self._chance.choice(self._running)
        if victim.pid not in self._stopped and victim.poll() is None:
            os.kill(victim.pid, signal.SIGSTOP)
            self._stopped[victim.pid] = time.monotonic() + self._chance.uniform(0.2, LONGEST_STOP)
            self.stops += 1

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """During the block each goes on when its time is over, whoever waits meanwhile; after it all do."""
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            looking.cancel()
            self._go_on(all_of_them=True)

    async def _look(self) -> None:
        while True:
            await wait(LOOK_EVERY)
            self._go_on()

    def _go_on(self, *, all_of_them: bool = False) -> None:
        for pid, at in list(self._stopped.items()):
            if all_of_them or time.monotonic() >= at:
                os.kill(pid, signal.SIGCONT)
                del self._stopped[pid]

    async def cut_off_one(self, connection: Connection, name: str) -> None:
        """End a session of one of them on the server."""
        ended = await connection.fetch(
            "select pg_terminate_backend(pid) from (select pid from pg_stat_activity where datname = current_database()"
            " and application_name = $1 order by random() limit 1) as victim",
            f"headrace {name}",
        )
        self.cuts += len(ended)

    def alive(self) -> Sequence[subprocess.Popen[bytes]]:
        """Those that run."""
        return [process for process in self._running if process.poll() is None]


class Operator:
    """Turns triggers off and on and edits them, and remembers what was true when."""

    def __init__(self, connection: Connection, chance: random.Random) -> None:
        self._db = connection
        self._chance = chance
        self.histories: dict[str, History] = {}
        self._off_since: dict[str, datetime] = {}
        self.toggles = self.edits = 0
        self.longest_wait = 0.0

    async def create(self, n: int) -> None:
        """So many triggers, due each second, in any phase."""
        rows = await self._db.fetch(
            "insert into headrace.trigger (name, definition_id, every_seconds, starts_at, catch_up)"
            " select 't' || k, (select id from headrace.definition where key = 'fired'), 1,"
            "        clock_timestamp() - make_interval(secs => k % 20 * 0.05), 'all'"
            "   from generate_series(0, $1 - 1) as k returning name, starts_at, effective_from",
            n,
        )
        for row in rows:
            rule = _stretch(row["effective_from"], row["starts_at"], 1.0)
            self.histories[row["name"]] = History([rule])

    async def toggle(self, name: str) -> None:
        """Off if it is on, and on if it is off."""
        asked = time.monotonic()
        if name in self._off_since:
            await self._turn_on(name)
        else:
            await set_enabled(self._db, name, tenant="default", enabled=False)
            self._off_since[name] = await self._now()
        self.longest_wait = max(self.longest_wait, time.monotonic() - asked)
        self.toggles += 1

    async def edit(self, name: str) -> None:
        """Another interval, or another payload, which leaves the rhythm alone."""
        changes: dict[str, Any] = {"payload": {"edit": self.edits}}
        if self._chance.random() < 0.7:
            changes = {"every_seconds": self._chance.choice(INTERVALS)}
        await update_trigger(self._db, name, changes, tenant="default")
        self.edits += 1
        rule = self.histories[name].rules[-1]
        if changes.get("every_seconds") in (None, rule.interval.total_seconds()):
            return
        row = await self._db.fetchrow(
            "select effective_from, starts_at, every_seconds from headrace.trigger where name = $1", name
        )
        assert row is not None
        self.histories[name].rules[-1] = rule._replace(until=row["effective_from"])
        self.histories[name].rules.append(_stretch(*row))

    async def turn_all_on(self) -> None:
        """Nobody is off any more."""
        for name in list(self._off_since):
            await self._turn_on(name)

    async def _turn_on(self, name: str) -> None:
        asked_at = await self._now()
        await set_enabled(self._db, name, tenant="default", enabled=True)
        self.histories[name].off.append((self._off_since.pop(name), asked_at))
        self.histories[name].turning_on.append((asked_at, await self._now()))

    async def _now(self) -> datetime:
        now: datetime = await self._db.fetchval("select clock_timestamp()")
        return now


def _stretch(since: datetime, start: datetime, interval: float) -> Stretch:
    return Stretch(since, END_OF_TIME.replace(tzinfo=since.tzinfo), start, timedelta(seconds=interval))
