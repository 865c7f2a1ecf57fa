"""Claiming where some jobs stand behind gates: who goes first, and when to ask at the gates again."""

from __future__ import annotations

import time
from collections.abc import Iterable
from uuid import UUID

from headrace.db.connect import Connection
from headrace.queue.claim import Held, Lanes, claim_gated, claim_jobs, first_priority

# All that asks at the gates takes turns, so a worker with other work does not ask at every look: where nothing came
# through, not before so long, nor before so many times as long as the asking took.
SHUT_FOR = 0.1
TIMES_THE_COST = 20
LEAST_URGENT = 1000
# For so long it is believed that nothing waits without a gate, while gates give all that is asked for.
ALL_GATED_FOR = 0.05
# Where several tenants came through lately, claims are small: nobody's turn should wait for the end of a large one.
SMALL_CLAIM = 20
LATELY = 5.0
# More than a worker holds.
MOST_REMEMBERED = 5000


class Passed:
    """Jobs that came through a gate and did not end yet, as far as is known here: for a worker over HTTP it may be
    another process that hears of an end, so the oldest are forgotten."""

    def __init__(self, most: int = MOST_REMEMBERED) -> None:
        self._most = most
        self._jobs: dict[UUID, None] = {}

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, jobs: Iterable[UUID]) -> None:
        """These came through."""
        self._jobs.update(dict.fromkeys(jobs))
        for oldest in list(self._jobs)[: max(0, len(self._jobs) - self._most)]:
            del self._jobs[oldest]

    def have_ended(self, jobs: Iterable[UUID]) -> bool:
        """Whether one of these came through a gate, which may be open now."""
        before = len(self._jobs)
        if before:
            for job in jobs:
                self._jobs.pop(job, None)
        return len(self._jobs) < before


class Gates:
    """Urgent jobs come first, whether or not they stand behind a gate; between equals, one look begins at the gates
    and the next does not."""

    def __init__(self) -> None:
        self._ask_at = 0.0
        self._begin_there = False
        self._all_gated_until = 0.0
        self._seen: dict[int, float] = {}
        self.passed = Passed()
        self.opens_at: float | None = None

    def may_be_open(self) -> None:
        """Something ended or changed: ask at the next look."""
        self._ask_at = 0.0

    async def claim(self, conn: Connection, *, worker_id: int, lanes: Lanes, limit: int, suspects: int) -> list[Held]:
        """Up to `limit` jobs, of which at most `suspects` are suspect."""
        now = time.monotonic()
        if not lanes.gated or now < self._ask_at:
            return await self._pass_by(conn, worker_id, lanes, limit, suspects)
        limit = min(limit, SMALL_CLAIM) if self._is_crowded(now) else limit
        waiting = None if now < self._all_gated_until else await first_priority(conn, list(lanes.terms))
        if waiting is None:
            held = await self._ask(conn, worker_id, lanes, limit, suspects)
            if len(held) == limit and now >= self._all_gated_until:
                self._all_gated_until = now + ALL_GATED_FOR
            return held
        self._begin_there = not self._begin_there
        up_to = waiting if self._begin_there else waiting - 1
        held = await self._ask(conn, worker_id, lanes, limit, suspects, up_to, waiting) if up_to >= 0 else []
        for claim in (self._pass_by, self._ask):
            if len(held) < limit:
                few = suspects - sum(h.suspect for h in held)
                held += await claim(conn, worker_id, lanes, limit - len(held), few)
        return held

    async def _pass_by(self, conn: Connection, worker_id: int, lanes: Lanes, limit: int, suspects: int) -> list[Held]:
        return await claim_jobs(conn, worker_id=worker_id, lanes=list(lanes.terms), limit=limit, suspects=suspects)

    async def _ask(
        self,
        conn: Connection,
        worker_id: int,
        lanes: Lanes,
        limit: int,
        suspects: int,
        up_to: int = LEAST_URGENT,
        waiting: int = LEAST_URGENT,
    ) -> list[Held]:
        """What the gates let through, and is as urgent as that; `waiting` without a gate are jobs of this priority."""
        began = time.monotonic()
        came = await claim_gated(
            conn, worker_id=worker_id, lanes=lanes.gated, limit=limit, suspects=suspects, up_to_priority=up_to
        )
        now = time.monotonic()
        self.opens_at = None if came.opens_in is None else now + came.opens_in
        if not came.held and up_to >= waiting:
            again = now + max(SHUT_FOR, TIMES_THE_COST * (now - began))
            self._ask_at = min(again, self.opens_at or again)
        self.passed.add(h.job_id for h in came.held)
        self._seen.update((h.tenant_id, now) for h in came.held if lanes.terms[h.lane_id].fair)
        return came.held

    def _is_crowded(self, now: float) -> bool:
        if len(self._seen) > 1:
            self._seen = {tenant: at for tenant, at in self._seen.items() if now - at < LATELY}
        return len(self._seen) > 1
