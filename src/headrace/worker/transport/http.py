"""The transport of a worker without a database login: a Headrace server's API."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from headrace.aio import wait_for_event
from headrace.log import get_logger
from headrace.model.job.record import ClaimedJob
from headrace.model.job.transition import Transition
from headrace.model.log.line import LogLine
from headrace.queue.lease import WorkerIdentity
from headrace.worker.transport.database_clock import DatabaseClock
from headrace.worker.transport.interface import Beat, Fence, OutcomeRefused, Pulse, TransportAway
from headrace.worker.transport.server import Refused, Server, explain
from headrace.worker.transport.wire import bodies, encode, read_claimed, write_line, write_transition

log = get_logger("headrace.worker")
RECONCILE_EVERY = 10.0
LONGEST_WAIT = 30.0
# Of these it is the request that is wrong, now and later.
NEVER_STORED = (400, 413, 422)
LOST = ("lease_lost", "not_found")
LOST_PAUSE = 1.0


class HttpTransport:
    """One worker's connections to a server. What its code declares goes along when it registers."""

    def __init__(self, url: str, token: str, who: WorkerIdentity, *, declared: Callable[[], Sequence[Any]]) -> None:
        self._url = url
        self._token = token
        self._who = who
        self._who_changed = False
        self._declared = declared
        self._server = Server(url, token)
        self._heartbeat_server: Server | None = None
        self._clock = DatabaseClock()
        self._woken = asyncio.Event()
        self._reconcile_at = 0.0
        self.worker_id = 0

    # -- register

    async def register(self) -> None:
        try:
            self._welcomed(await self._introduce(None))
        except Refused as error:
            if self.worker_id == 0:  # the first time: whoever started us should hear of it
                raise explain(self._url, error) from error
            raise TransportAway(str(error)) from error
        except TransportAway as error:
            raise TransportAway(f"cannot reach a Headrace server at {self._url}: {error}") from error

    async def _introduce(self, worker_id: int | None) -> Any:
        who = self._who
        hello = {
            "name": who.name,
            "hostname": who.hostname,
            "pid": who.pid,
            "version": who.version,
            "queues": who.queues,
            "definitions": who.definitions,
            "concurrency": who.concurrency,
            "lease_seconds": who.lease.total_seconds(),
            "declared": self._declared(),
            "worker_id": worker_id,
        }
        return await self._server.post("register", encode(hello))

    def _welcomed(self, answer: Any) -> None:
        self.worker_id = answer["worker_id"]
        self.wake()  # a claim may be waiting under the old id
        self._clock.set(datetime.fromisoformat(answer["server_time"]))
        self._who = replace(self._who, queues=tuple(answer["queues"]))
        synced = answer["synced"]
        if synced["added"] or synced["changed"] or synced["deleted_from_code"]:
            log.info("definitions synced", **synced)
        left_out = {name: synced[name] for name in ("definitions_elsewhere", "triggers_elsewhere") if synced[name]}
        if left_out:
            log.warning("declarations ignored: the token serves some queues only", **left_out)
        if synced["kept"]:
            log.warning("definitions kept: other workers serve them", jobs=synced["kept"])
        for name in synced["triggers_taken"]:
            log.warning("declared trigger ignored: a trigger made by hand has its name", trigger=name)

    @property
    def queues(self) -> tuple[str, ...]:
        """Those that the server lets it serve."""
        return self._who.queues

    def serve(self, definitions: tuple[str, ...], schemas: Mapping[str, str]) -> None:
        """Claim these from now on."""
        self._who = replace(self._who, definitions=definitions, schemas=schemas)
        self._who_changed = True
        self.wake()

    async def _tell_definitions(self) -> None:
        self._who_changed = False
        try:
            await self._introduce(self.worker_id)
        except BaseException:
            self._who_changed = True
            raise

    # -- claim

    async def claim(
        self, *, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        self._woken.clear()
        try:
            if self._who_changed:
                await self._tell_definitions()
            return await self._claim(limit, suspects, held, min(wait, LONGEST_WAIT))
        except (Refused, TransportAway) as error:
            self._reconcile_at = 0.0
            if isinstance(error, Refused) and error.code in LOST:
                # The heartbeat hears of it too, and has us register anew.
                await wait_for_event(self._woken, LOST_PAUSE)
                return []
            raise TransportAway(str(error)) from error

    async def _claim(
        self, limit: int, suspects: int, held: Callable[[], Collection[Fence]], wait: float
    ) -> list[ClaimedJob]:
        now = time.monotonic()
        body: dict[str, Any] = {"worker_id": self.worker_id, "limit": min(limit, 1000), "suspects": min(suspects, 1)}
        body |= {"wait_seconds": wait, "payloads": "text"}
        reconciles = now >= self._reconcile_at
        if reconciles:
            body["knows"] = [{"job_id": str(job_id), "run": run} for job_id, run in held()]
        answer = await self._unless_woken(self._server.post("jobs/claim", encode(body), waits=wait))
        if answer is None:
            return []
        if reconciles:
            self._reconcile_at = now + RECONCILE_EVERY
        return read_claimed(answer)

    async def _unless_woken(self, asking: Any) -> Any:
        """The answer, or none when there was a reason not to wait for it: what it would have brought is reconciled."""
        request, waking = asyncio.ensure_future(asking), asyncio.ensure_future(self._woken.wait())
        try:
            await asyncio.wait({request, waking}, return_when=asyncio.FIRST_COMPLETED)
            if request.done():
                return request.result()
            self._reconcile_at = 0.0
            return None
        finally:
            waking.cancel()
            if not request.done():
                request.cancel()
                with contextlib.suppress(asyncio.CancelledError, TransportAway, Refused):
                    await request

    def wake(self) -> None:
        self._woken.set()

    # -- the other verbs

    async def heartbeat(self, beat: Beat) -> Pulse:
        if self._heartbeat_server is None:
            # Made here, on the loop of the thread that beats.
            # A connection cut without a word is given up while there is time for another.
            within = self._who.lease.total_seconds() / 3
            self._heartbeat_server = Server(self._url, self._token, answers_within=within)
        if beat.last:
            await self._heartbeat_server.close()
            return Pulse(live=True)
        worker_id = self.worker_id
        progress = [{"job_id": str(j), "fraction": fraction, "message": text} for j, fraction, text in beat.progress]
        body: dict[str, Any] = {"worker_id": worker_id, "running": beat.running, "memory_bytes": beat.memory_bytes}
        body |= {"progress": progress, "tell_held": False, "stood_still_seconds": beat.stood_still}
        try:
            answer = await self._heartbeat_server.post("heartbeat", encode(body))
        except Refused as error:
            if error.code in LOST:
                # Unless the worker has come back under another id meanwhile, whom this does not concern.
                return Pulse(live=worker_id != self.worker_id)
            raise TransportAway(str(error)) from error
        self._clock.set(datetime.fromisoformat(answer["server_time"]))
        return Pulse(live=True, stop=_fences(answer["cancel"]), drain=answer["drain"])

    async def finish(self, transitions: Sequence[Transition]) -> set[Fence]:
        try:
            items = [write_transition(transition) for transition in transitions]
            return await self._post_all("jobs/finish", "ended", items)
        except Refused as error:
            if error.code == "not_found":
                return {(transition.job_id, transition.run) for transition in transitions}
            if error.status in NEVER_STORED:
                raise OutcomeRefused(str(error)) from error
            raise TransportAway(str(error)) from error
        except ValueError as error:
            raise OutcomeRefused(f"{type(error).__name__}: {error}") from error

    async def write_logs(self, lines: Sequence[LogLine]) -> set[Fence]:
        try:
            return await self._post_all("logs", "lines", [write_line(line) for line in lines])
        except Refused as error:
            if error.code == "not_found":
                return {(line.job_id, line.run) for line in lines}
            if error.status in NEVER_STORED:
                raise
            raise TransportAway(str(error)) from error

    async def _post_all(self, path: str, name: str, items: Sequence[bytes]) -> set[Fence]:
        refused: set[Fence] = set()
        for body in bodies(self.worker_id, name, items):
            refused.update(_fences((await self._server.post(path, body))["refused"]))
        return refused

    def now(self) -> datetime:
        return self._clock.now()

    async def close(self) -> None:
        if self.worker_id:
            try:
                await self._server.post("stop", encode({"worker_id": self.worker_id}))
            except Exception as error:  # the lease runs out by itself, and a rescue frees what is left
                log.warning("sign-off of the worker failed", error=f"{type(error).__name__}: {error}")
        await self._server.close()


def _fences(refs: Sequence[dict[str, Any]]) -> list[Fence]:
    return [(UUID(ref["job_id"]), ref["run"]) for ref in refs]
