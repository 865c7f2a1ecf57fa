"""Evaluate: look at all conditions, keep the incidents, and have told what is to be told. One process at a time.

All of a look is one transaction, with the jobs that send its notices: whoever dies in it has not looked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from headrace.alerts.delivery_job import enqueue_notice
from headrace.alerts.readings import take_readings
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.alert.incident import Event, Incident, Reading, Told, Verdict, judge
from headrace.model.alert.notice import body_of
from headrace.model.alert.rule import AlertRule, quiet_hours, recover_after
from headrace.model.payload.stored_json import read_object

SQL = statements(__file__)
OfRule = TypeVar("OfRule", Reading, Incident)


async def evaluate_alerts(conn: Connection, *, when_due: bool = False) -> int | None:
    """Look once; gives how many notices go out. None: another process is at it or, if so asked, it is not due."""
    async with conn.transaction():
        now: datetime | None = await conn.fetchval(SQL["take_turn"], not when_due)
        if now is None:
            return None
        rules = {rule.id: rule for rule in await _read_rules(conn)}
        incidents = [Incident(**row) for row in await conn.fetch(SQL["read_incidents"])]
        readings = await take_readings(conn, rules.values(), incidents)
        holds, known, floors = _by_rule(readings), _by_rule(incidents), await _last_ends(conn, readings)
        sent = 0
        for rule in rules.values():
            mine = known[rule.id]
            verdict = judge(rule, holds[rule.id], mine, floors=floors[rule.id], now=now)
            sent += await _carry_out(conn, rule, verdict, mine, now)
        await conn.execute(SQL["note_looked"])
        return sent


async def _read_rules(conn: Connection) -> list[AlertRule]:
    return [_rule(row) for row in await conn.fetch(SQL["read_rules"])]


def _rule(row: Any) -> AlertRule:
    repeat = row["repeat_seconds"]
    return AlertRule(
        id=row["id"],
        tenant_id=row["tenant_id"],
        name=row["name"],
        kind=row["kind"],
        parameters=read_object(row["parameters"]),
        targets=tuple(row["targets"]),
        enabled_at=row["enabled_at"],
        recover_after=timedelta(seconds=recover_after(row["kind"], row["recover_after_seconds"])),
        group=timedelta(seconds=row["group_seconds"]),
        repeat=None if repeat is None else timedelta(seconds=repeat),
        escalate_after=row["escalate_after"],
        escalate_to=row["escalate_to"],
        quiet=quiet_hours(row["quiet_from"], row["quiet_until"], row["timezone"]),
        told_at=row["told_at"],
    )


def _by_rule(found: Iterable[OfRule]) -> Mapping[UUID, list[OfRule]]:
    groups: defaultdict[UUID, list[OfRule]] = defaultdict(list)
    for one in found:
        groups[one.rule_id].append(one)
    return groups


async def _last_ends(conn: Connection, readings: Sequence[Reading]) -> Mapping[UUID, dict[str, datetime]]:
    """Of each rule, when the last incident of each subject ended."""
    ends: defaultdict[UUID, dict[str, datetime]] = defaultdict(dict)
    if readings:
        asked = [one.rule_id for one in readings], [one.subject for one in readings]
        for row in await conn.fetch(SQL["last_ends"], *asked):
            ends[row["rule_id"]][row["subject"]] = row["closed_at"]
    return ends


async def _carry_out(
    conn: Connection, rule: AlertRule, verdict: Verdict, known: Iterable[Incident], now: datetime
) -> int:
    """Write the incidents down, and one notice for each target and event, with all that it is about."""
    before = {one.id: one.closed_at for one in known}
    ids: dict[str, UUID] = {}
    left_alone: set[UUID | str] = set()
    for one in verdict.incidents:
        if one.id is None:
            ids[one.subject] = await _open(conn, one)
        elif not await _change(conn, one, before[one.id]):
            left_alone.add(one.id)
    groups: dict[tuple[Event, UUID], list[Incident]] = {}
    for told in verdict.told:
        if told.incident.id not in left_alone:
            one = told.incident
            groups.setdefault((told.event, told.target_id), []).append(replace(one, id=one.id or ids[one.subject]))
    for (event, target_id), about in groups.items():
        await enqueue_notice(
            conn,
            tenant_id=rule.tenant_id,
            rule_id=rule.id,
            target_id=target_id,
            event=event,
            body=body_of(rule, about),
        )
    if _begins(verdict.told):
        await conn.execute(SQL["note_told"], rule.id, now)
    return len(groups)


def _begins(told: Iterable[Told]) -> bool:
    return any(one.event == "firing" for one in told)


async def _open(conn: Connection, one: Incident) -> UUID:
    what = (one.count, one.measure, one.job_id, one.error, one.notices, one.told_at)
    opened: UUID = await conn.fetchval(SQL["open_incident"], one.rule_id, one.subject, one.since, one.last_seen, *what)
    return opened


async def _change(conn: Connection, one: Incident, closed_before: datetime | None) -> bool:
    seen = (one.last_seen, one.count, one.measure, one.job_id, one.error)
    told = (one.notices, one.told_at, one.escalated_at, one.closed_at, one.recovery_told_at)
    return str(await conn.execute(SQL["change_incident"], one.id, *seen, *told, closed_before)) != "UPDATE 0"
