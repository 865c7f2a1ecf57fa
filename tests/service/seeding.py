"""A row of everything that belongs to a tenant, for two of them."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.api.conftest import Api

BOTH = ("acme", "globex")

ROWS = """
with own as (select id as tenant_id from headrace.tenant where name = $1),
def as (select id from headrace.definition where key = 'work'),
lane as (select id from headrace.lane where definition_id = (select id from def) limit 1),
job as (select id from headrace.job where tenant_id = (select tenant_id from own) limit 1),
t as (insert into headrace.trigger (tenant_id, name, definition_id, cron)
      select tenant_id, 'nightly', def.id, '0 3 * * *' from own, def returning id),
gone as (insert into headrace.deleted_trigger (id, tenant_id, name, definition_id)
         select gen_random_uuid(), tenant_id, 'gone', def.id from own, def),
fire as (insert into headrace.fire (trigger_id, due_at, outcome, job_id, triggered_by)
         select t.id, now(), 'fired', job.id, 'scheduler' from t, job),
once as (insert into headrace.fired_once (trigger_id, version, job_id) select t.id, '1', job.id from t, job),
dedupe as (insert into headrace.dedupe (trigger_id, payload_hash, until, job_id)
           select t.id, '\\x00', now() + interval '1 day', job.id from t, job),
event as (insert into headrace.event (id, tenant_id, name, data)
          select gen_random_uuid(), tenant_id, 'x', '{}' from own returning id),
delivery as (insert into headrace.delivery (event_id, trigger_id, outcome, job_id)
             select event.id, t.id, 'fired', job.id from event, t, job),
operation as (insert into headrace.operation (tenant_id, action, filter, expected, created_by, state, finished_at)
              select tenant_id, 'cancel', '{}', 0, 'test', 'done', now() from own),
progress as (insert into headrace.progress (job_id, fraction) select id, 0.5 from job),
waiter as (insert into headrace.waiter (job_id, waiter_id, expires_at)
           select id, gen_random_uuid(), now() + interval '1 hour' from job),
attempt as (insert into headrace.attempt (job_id, run, tenant_id, lane_id, outcome, spent, finished_at)
            select job.id, 1000, tenant_id, lane.id, 'snoozed', 0, now() from job, own, lane),
line as (insert into headrace.log (tenant_id, definition_id, job_id, run, seq, at, level, stream, message)
         select tenant_id, def.id, job.id, 1, 1, $2, 20, 0, 'a line of ' || $1 from own, def, job),
minute as (insert into headrace.rollup (minute, tenant_id, definition_id, latency_buckets, duration_buckets)
           select date_trunc('minute', now()), tenant_id, def.id, '{}', '{}' from own, def on conflict do nothing),
hour as (insert into headrace.rollup_hour (hour, tenant_id, definition_id, latency_buckets, duration_buckets)
         select date_trunc('hour', now()), tenant_id, def.id, '{}', '{}' from own, def on conflict do nothing),
total as (insert into headrace.rollup_total (tenant_id, definition_id, latency_buckets, duration_buckets)
          select tenant_id, def.id, '{}', '{}' from own, def on conflict do nothing),
target as (insert into headrace.alert_target (tenant_id, name, kind, address, created_by)
           select tenant_id, 'people', 'email', 'ann@example.com', 'test' from own returning id, tenant_id),
rule as (insert into headrace.alert_rule (tenant_id, name, kind, parameters, created_by)
         select tenant_id, 'died', 'job_died', '{"definition": null, "within_seconds": 900}', 'test' from own
         returning id, tenant_id),
alert as (insert into headrace.alert (rule_id, tenant_id, subject, since, last_seen, count)
          select id, tenant_id, 'work', now(), now(), 1 from rule),
notice as (insert into headrace.alert_notice (tenant_id, target_id, event, body)
           select tenant_id, id, 'test', '{}' from target returning id, tenant_id),
sent as (insert into headrace.alert_delivery (notice_id, tenant_id, target, at, seconds)
         select id, tenant_id, 'people', now(), 0 from notice)
insert into headrace.queue_sample (tenant_id, lane_id, status, jobs)
select tenant_id, lane.id, 'queued', 1 from own, lane on conflict do nothing
"""


async def seed_everything(api: Api) -> None:
    """Jobs of both tenants by the API, with keys, so that each rule is asked; and rows of the other tables."""
    for tenant in BOTH:
        async with await api.caller("tenant_admin", tenant) as client:
            body = {"definition": "work", "idempotency_key": "once", "dedupe_key": "live"}
            answer = await client.post("/api/v1/jobs", json=body)
            assert answer.status_code == 201, answer.text
        async with api.hr.database.pool.acquire() as conn, conn.transaction():
            # Counting has a turn, and with it nobody else writes rollups; a server may be at it.
            await conn.execute("select from headrace.rollup_turn for update")
            await conn.execute(ROWS, tenant, datetime.now(UTC))
