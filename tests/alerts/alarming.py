"""Rules, looks and what was told, in a few words; jobs that end as a test wants."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, NamedTuple
from uuid import UUID

from tests.engine import Engine

from headrace.alerts.delivery_job import DELIVER
from headrace.alerts.evaluate import evaluate_alerts
from headrace.alerts.incidents import AlertFilter, AlertRecord, list_alerts
from headrace.alerts.rules import create_rule
from headrace.alerts.targets import create_target
from headrace.model.alert.kind import AlertKind
from headrace.model.alert.web_address import NOTHING
from headrace.model.job.outcome import Failed, Outcome, Succeeded
from headrace.model.secret.encryption import NO_KEY
from headrace.rollups.fold import fold_deltas
from headrace.rollups.sample import sample_queue


class Told(NamedTuple):
    """A notice: of what, to whom, about which subjects."""

    event: str
    target: str
    subjects: tuple[str, ...]


class Watchman:
    """Looks when a test says so."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.db = engine.db

    async def prepare(self) -> None:
        """The job that sends is known, and so is `work`."""
        await self.engine.define(DELIVER, queue="headrace", system=True)
        await self.engine.define()

    async def tenant(self, name: str) -> int:
        """One more tenant's number."""
        number: int = await self.db.fetchval("insert into headrace.tenant (name) values ($1) returning id", name)
        return number

    async def target(self, name: str = "ops", *, tenant_id: int | None = None) -> UUID:
        """Somebody who gets mail."""
        target_id, _ = await create_target(
            self.db,
            name,
            "email",
            f"{name}@example.com",
            tenant_id=tenant_id,
            created_by="test",
            sign=False,
            box=NO_KEY,
            allowed=NOTHING,
        )
        return target_id

    async def rule(
        self, kind: AlertKind, *, tenant_id: int | None = None, targets: list[UUID] | None = None, **settings: Any
    ) -> UUID:
        """A rule that tells one target, with these parameters or other settings."""
        names = {"recover_after_seconds", "group_seconds", "repeat_seconds", "escalate_after", "escalate_to"}
        names |= {"quiet_from", "quiet_until", "timezone", "name"}
        said = {name: value for name, value in settings.items() if name in names}
        parameters = {name: value for name, value in settings.items() if name not in names}
        rule = {
            "name": kind,
            "kind": kind,
            "targets": [await self.target(f"ops-{kind}", tenant_id=tenant_id)] if targets is None else targets,
            "parameters": parameters,
            "recover_after_seconds": 0.0,
            "group_seconds": 0.0,
            **said,
        }
        return await create_rule(self.db, rule, tenant_id=tenant_id, enabled=True, created_by="test")

    async def look(self) -> list[Told]:
        """Fold, sample and look; gives what is told now."""
        await fold_deltas(self.db)
        await sample_queue(self.db)
        before = await self._notices()
        assert await evaluate_alerts(self.db) is not None
        return (await self._notices())[len(before) :]

    async def _notices(self) -> list[Told]:
        rows = await self.db.fetch(
            "select event, target.name, body from headrace.alert_notice as notice"
            "  join headrace.alert_target as target on target.id = target_id order by notice.created_at, notice.id"
        )
        return [Told(row[0], row[1], tuple(a["subject"] for a in json.loads(row[2])["alerts"])) for row in rows]

    async def alerts(self, *, open_: bool | None = None) -> list[AlertRecord]:
        """All there are, newest first."""
        return await list_alerts(self.db, AlertFilter(open=open_), tenant_id=None, limit=100)

    async def deliveries_enqueued(self) -> int:
        """Jobs that send notices."""
        n: int = await self.db.fetchval(
            "select count(*) from headrace.job join headrace.definition as d on d.id = definition_id where d.key = $1",
            DELIVER,
        )
        return n

    async def end_job(self, outcome: Outcome | None = None, *, key: str = "work", **options: Any) -> UUID:
        """A job that ran and ended so at its first attempt."""
        job_id = await self.engine.enqueue(key, **{"max_attempts": 1, **options})
        worker = await self.engine.worker()
        (held,) = [one for one in await self.engine.claim(worker, 100) if one.job_id == job_id]
        await self.engine.finish(worker, held, outcome or Succeeded())
        await self.db.execute("update headrace.worker set state = 'stopped', stopped_at = now() where id = $1", worker)
        return job_id

    async def fail_job(self, error: str = "Boom: it broke", **options: Any) -> UUID:
        """A job that died."""
        return await self.end_job(Failed(error), **options)

    async def age(self, by: timedelta) -> None:
        """Let what was seen, told, looked and ended have happened so much earlier."""
        for statement in (
            "update headrace.attempt set finished_at = finished_at - $1::interval",
            "update headrace.alert set since = since - $1::interval, last_seen = last_seen - $1::interval,"
            " told_at = told_at - $1::interval, closed_at = closed_at - $1::interval",
            "update headrace.alert_rule set told_at = told_at - $1::interval, enabled_at = enabled_at - $1::interval",
            "update headrace.rollup set minute = minute - $1::interval",
            "update headrace.queue set queued_at = queued_at - $1::interval where queued_at is not null",
            "update headrace.fire set at = at - $1::interval",
        ):
            await self.db.execute(statement, by)
