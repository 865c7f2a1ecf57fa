"""What stands around the story: other tenants, more workers, limits, pauses, tokens, alerts."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
from tests.web.dash import Dash

# Names that say nothing of the machine on which the pictures are taken.
WORKERS = """
update headrace.worker set name = 'jobs-1:2114', hostname = 'jobs-1', pid = 2114;
insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, running, lease,
                             lease_expires_at, started_at)
select host || ':' || pid, host, pid, newest.version, queues::text[], '{}', slots, 0, interval '10 minutes',
       now() + interval '1 day', now() - up::interval
  from (select version from headrace.worker limit 1) as newest,
       (values ('jobs-2', 2093, '{*}', 16, '3 days'), ('mail-1', 877, '{mail}', 8, '9 hours'),
               ('web-1', 31, '{sync,reports}', 4, '6 days')) as w (host, pid, queues, slots, up);
"""
# They say nothing by themselves; one of them for a while.
HEARD = """
update headrace.worker
   set heartbeat_at = now() - case hostname when 'web-1' then interval '8 minutes' else interval '2 seconds' end
 where hostname in ('jobs-2', 'mail-1', 'web-1')
"""
# What the last hour did, it did over that hour; people and programs were there long before.
AGED = """
create temp table aged as
select id, 14 * row_number() over (order by id desc) * interval '1 second' as by
  from headrace.job where id not in (select job_id from headrace.queue);
update headrace.job as j set created_at = created_at - by from aged where aged.id = j.id;
update headrace.attempt as a
   set queued_at = queued_at - by, started_at = started_at - by, finished_at = finished_at - by
  from aged where aged.id = a.job_id;
update headrace.fire as f
   set due_at = date_trunc('day', now(), 'America/New_York') + interval '150 minutes' - nth * interval '1 day',
       at = date_trunc('day', now(), 'America/New_York') + interval '150 minutes 1 second' - nth * interval '1 day',
       triggered_by = 'scheduler'
  from (select trigger_id, due_at, row_number() over (order by due_at desc) - 1 as nth from headrace.fire
         where trigger_id = (select id from headrace.trigger where name = 'nightly-report' and tenant_id =
                             (select id from headrace.tenant where name = 'acme'))) as was
 where f.trigger_id = was.trigger_id and f.due_at = was.due_at;
update headrace.trigger set last_run_at = date_trunc('day', now(), 'America/New_York') + interval '150 minutes'
 where name = 'nightly-report';
update headrace.tenant set created_at = now() - id * interval '9 days';
update headrace.token set created_at = now() - interval '40 days';
analyze headrace.job;
"""
# The programs that told the story are not part of it.
FORGET = """
update headrace.token set revoked_at = now()
 where name = 'shop' and id <> (select id from headrace.token where name = 'shop' order by created_at limit 1)
"""
LIMITS: dict[str, dict[str, Any]] = {
    "sync-dropbox": {"max_concurrency": 8, "concurrency_key": "provider_id", "max_concurrency_per_key": 2},
    "send-welcome": {"rate_limit": 100, "rate_period_seconds": 60},
}
TENANTS: dict[str, dict[str, Any]] = {
    "acme": {"title": "Acme Corporation", "weight": 3, "limits": {"max_queued": 50_000}},
    "globex": {"title": "Globex", "weight": 2, "limits": {"max_running": 20, "requests_per_minute": 600}},
    "initech": {"title": "Initech"},
}
TOKENS: list[dict[str, Any]] = [
    {"name": "ci of the shop", "role": "tenant_admin", "tenant": "acme"},
    {"name": "figures on the wall", "role": "tenant_viewer", "tenant": "acme"},
    {"name": "workers in Frankfurt", "role": "worker", "queues": ["mail", "sync"]},
    {"name": "globex", "role": "tenant_admin", "tenant": "globex"},
]
RULES: list[dict[str, Any]] = [
    {"name": "jobs die", "kind": "job_died", "repeat_seconds": 3600},
    {"name": "jobs wait long", "kind": "oldest_queued", "parameters": {"seconds": 900}},
    {"name": "nobody works", "kind": "no_worker"},
]
TARGETS: list[dict[str, Any]] = [
    {"name": "on call", "kind": "webhook", "address": "https://hooks.example.org/headrace", "sign": False},
    {"name": "team", "kind": "email", "address": "jobs@acme.example"},
]


async def set_the_scene(dash: Dash) -> None:
    """All that is there before anything runs."""
    with dash.server.as_admin() as admin:
        for name, settings in TENANTS.items():
            if _there(admin, name):
                _must(admin.patch(f"/admin/tenants/{name}", json=settings))
            else:
                _must(admin.post("/admin/tenants", json={"name": name, **settings}))
        for token in TOKENS:
            _must(admin.post("/admin/tokens", json=token))
        for key, limits in LIMITS.items():
            _must(admin.patch(f"/admin/jobs/definitions/{key}", json=limits))
        _must(admin.patch("/admin/queues/sync", json={"max_running": 16, "fair": True}))
    targets = [_must(await dash.api.post("/alerts/targets", json=target))["id"] for target in TARGETS]
    for rule in RULES:
        _must(await dash.api.post("/alerts/rules", json={**rule, "targets": targets}))


async def end_the_scene(dash: Dash) -> None:
    """What an operator does in the end, and who else works."""
    with dash.server.as_admin() as admin:
        _must(admin.post("/admin/queues/reports/pause", json={"note": "the books are moved; until 16:00"}))
        _must(admin.post("/admin/tenants/initech/pause", json={"note": "trial is over"}))
    for _ in range(4):
        await dash.enqueue("invoice-export")
    await write(dash, WORKERS, AGED, HEARD)


async def write(dash: Dash, *statements: str) -> None:
    """Behind the API's back, as pictures need it."""
    connection = await asyncpg.connect(dash.server.database_url)
    try:
        for statement in statements:
            await connection.execute(statement)
    finally:
        await connection.close()


def _there(admin: httpx.Client, name: str) -> bool:
    return admin.get(f"/admin/tenants/{name}").status_code == 200


def _must(answer: httpx.Response) -> Any:
    assert answer.is_success, answer.text
    return answer.json()
