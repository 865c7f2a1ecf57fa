"""A shop on a bad afternoon, for pictures: mail and tags are fine, and `sync-dropbox` times out."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import NamedTuple

import asyncpg
from pydantic import SecretStr
from tests.waiting import until
from tests.web.dash import Dash
from tests.web.world.story_around import end_the_scene, set_the_scene

from headrace import Context, Fail, Headrace, RetryPolicy

hr = Headrace(app="shop")
FAST = RetryPolicy(base=timedelta(seconds=1), cap=timedelta(seconds=2), jitter=timedelta(0))
chance = random.Random(5)  # noqa: S311 - the same story each time


@hr.job("send-welcome", queue="mail")
async def send_welcome(user_id: int) -> None:
    """Welcomes a new customer."""
    await asyncio.sleep(chance.uniform(0.02, 0.2))
    if user_id % 41 == 0:
        raise Fail(f"user {user_id} has no address")


@hr.job("recompute-tags", cron="*/15 * * * *")
async def recompute_tags(ctx: Context, shard: int = 0) -> int:
    """Counts what is in each folder."""
    await asyncio.sleep(chance.uniform(0.1, 0.6))
    return shard


@hr.job("sync-dropbox", queue="sync", max_attempts=3, retry=FAST)
async def sync_dropbox(
    ctx: Context, provider_id: str, folder_path: str, api_key: SecretStr, slow: bool = False
) -> None:
    """Reads what changed in a folder."""
    ctx.log.info(f"attempt {ctx.attempt}, folder \x1b[36m{folder_path}\x1b[0m")
    print("\x1b[1mDropbox sync\x1b[0m 3.2.1  cursor AAGkr…Qx")
    print("\x1b[32m✓\x1b[0m listed 2,000 entries in 0.8 s")
    if provider_id == "prov_4410":
        raise ConnectionError(f"the storage refused the token of {provider_id}: 401")
    for n in range(1, 7 if slow else 3):
        ctx.progress(n / 10, f"{n * 200:,} of 2,000 files")
        print(f"\x1b[32m✓\x1b[0m {n * 200:,} of 2,000 files")
        await asyncio.sleep(0.05)
        if n % 2 == 0:
            ctx.log.warning(f"\x1b[33mslow answer\x1b[0m from the storage: {4 + n / 10} s (timeout 30 s)")
    if slow and ctx.attempt == 3:
        ctx.log.error("chunk 12: 504 from the storage, will ask again (timeout 2 of 3)")
        print("\x1b[34m→\x1b[0m continue in chunks of 100")
        ctx.progress(0.62, "1,240 of 2,000 files")
        await asyncio.sleep(3600)
    ctx.log.error(
        'httpx.ReadTimeout: the storage did not answer in 30 s\n  File "shop/sync.py", line 118, in fetch_page'
    )
    raise TimeoutError("the storage did not answer in 30 s")


@hr.job("invoice-export", cron="0 * * * *", queue="reports")
async def invoice_export() -> None:
    """Writes the hour's invoices."""
    await asyncio.sleep(0.8)


@hr.job("nightly-report", cron="30 2 * * *", timezone="Europe/Berlin", queue="reports")
async def nightly_report() -> None:
    """Mails the day's figures."""


class Story(NamedTuple):
    """A job and a trigger to look at."""

    running: str
    trigger: str


FOLDER: dict[str, object] = {"provider_id": "prov_8812", "folder_path": "/Shared/Invoices/2026", "api_key": "sk-1"}
NEW_YORK = "America/New_York"
TRIGGERS: dict[str, dict[str, object]] = {
    "tags-quarter-hour": {"definition": "recompute-tags", "cron": "*/15 * * * *", "overlap": "skip"},
    "invoices-hourly": {"definition": "invoice-export", "cron": "0 8-18 * * MON-FRI", "timezone": NEW_YORK},
    "nightly-report": {"definition": "nightly-report", "cron": "30 2 * * *", "timezone": NEW_YORK},
    "month-end-invoices": {"definition": "invoice-export", "cron": "10 0 1 * *"},
    "dropbox-full-sync": {
        "definition": "sync-dropbox",
        "cron": "0 */6 * * *",
        "payload": {"provider_id": "prov_8812", "folder_path": "/", "api_key": "sk-1"},
    },
    "seed-tags": {"definition": "recompute-tags", "trigger_type": "init", "init_version": "v2.14.0"},
    "welcome-new-user": {
        "definition": "send-welcome",
        "trigger_type": "event",
        "event": "user.created",
        "payload": {"user_id": "{{event.id}}"},
    },
}
RUNS = {"tags-quarter-hour": 9, "invoices-hourly": 10, "dropbox-full-sync": 2, "nightly-report": 10}
# An hour of minutes: mail is steady throughout, and since twenty minutes the storage does not answer.
PAST = """
insert into headrace.rollup (minute, tenant_id, definition_id, enqueued, succeeded, failed, retried, runs,
                             latency_sum, latency_buckets, duration_sum, duration_buckets, depth)
select date_trunc('minute', now(), 'UTC') - n * interval '1 minute', tenant.id, definition.id,
       runs, runs - bad, 0, bad, runs, runs * wait, headrace._buckets(wait, runs),
       runs * took, headrace._buckets(took, runs),
       case when key = 'sync-dropbox' and n < 20 then 40 - 2 * n else n % 3 end
  from generate_series(1, 60) as n, headrace.tenant, headrace.definition,
       lateral (select case key when 'send-welcome' then 62 + (n * 7) % 9 when 'recompute-tags' then 30 + (n * 5) % 7
                                when 'sync-dropbox' then 12 else 0 end as runs,
                       case when key = 'sync-dropbox' and n < 20 then 7 + n % 4 else 0 end as bad,
                       case when n < 20 then 0.02 * (21 - n) ^ 1.8 else 0.011 + (n % 5) * 0.002 end as wait,
                       case key when 'send-welcome' then 0.2 when 'recompute-tags' then 1.6 else 6.0 end as took) as was
 where tenant.name = $1 and runs > 0
on conflict do nothing
"""
# The day before that hour, all well.
DAY = """
insert into headrace.rollup_hour (hour, tenant_id, definition_id, enqueued, succeeded, runs, latency_sum,
                                  latency_buckets, duration_sum, duration_buckets)
select date_trunc('hour', now(), 'UTC') - n * interval '1 hour', tenant.id, definition.id, runs, runs, runs,
       runs * 0.012, headrace._buckets(0.012, runs), runs * took, headrace._buckets(took, runs)
  from generate_series(0, 24) as n, headrace.tenant, headrace.definition,
       lateral (select case key when 'send-welcome' then 3600 + (n * 617) % 900
                                when 'recompute-tags' then 1900 + (n * 311) % 400
                                when 'sync-dropbox' then 700 + (n * 97) % 120
                                when 'invoice-export' then 1 else 0 end as runs,
                       case key when 'send-welcome' then 0.2 when 'recompute-tags' then 1.6 else 6.0 end as took) as was
 where tenant.name = $1 and runs > 0
on conflict do nothing
"""
BUCKETS = """
create function headrace._buckets(value float8, n int) returns int[] language sql as $$
  select array_agg(case when i = width_bucket(value, headrace.histogram_bounds()) + 1 then n else 0 end order by i)
    from generate_series(1, cardinality(headrace.histogram_bounds()) + 1) as i
$$
"""


async def tell_story(dash: Dash) -> Story:
    """Enqueue it all, wait until most of it has happened, and write the hour before it."""
    await set_the_scene(dash)
    triggers = await tell_triggers(dash)
    slow = {**FOLDER, "slow": True}
    running = await dash.enqueue("sync-dropbox", slow, correlation_id="prov_8812")
    await many(dash, "sync-dropbox", [FOLDER] * 4, correlation_id="prov_8812")
    for round_ in range(6):
        await many(dash, "send-welcome", [{"user_id": 40_000 + 17 * round_ + n} for n in range(9)])
        await many(dash, "recompute-tags", [{"shard": round_}])
        await many(dash, "sync-dropbox", [FOLDER if round_ % 3 else {**FOLDER, "provider_id": "prov_4410"}])
    await many(dash, "send-welcome", [{"user_id": 1}], delay_seconds=900)
    await until_told(dash)
    connection = await asyncpg.connect(dash.server.database_url)
    await connection.execute(BUCKETS)
    for tenant in (dash.tenant, "globex"):
        await connection.execute(PAST, tenant)
        await connection.execute(DAY, tenant)
    await connection.close()
    await end_the_scene(dash)
    return Story(running, triggers["nightly-report"])


async def tell_triggers(dash: Dash) -> dict[str, str]:
    """Triggers that have run some times, by name."""
    made: dict[str, str] = {}
    for name, settings in TRIGGERS.items():
        answer = await dash.api.post("/jobs/triggers", json={"name": name, **settings})
        assert answer.status_code == 201, answer.text
        made[name] = answer.json()["id"]
    for name, times in RUNS.items():
        for _ in range(times):
            await dash.api.post(f"/jobs/triggers/{made[name]}/fire", json={"overlap": "allow"})
    await dash.api.post(f"/jobs/triggers/{made['tags-quarter-hour']}/skip-next")
    note = {"note": "billing migration until 9 March"}
    await dash.api.post(f"/jobs/triggers/{made['month-end-invoices']}/disable", json=note)
    for number in range(12):
        await dash.api.post("/events", json={"name": "user.created", "data": {"id": number + 1}})
    return made


async def many(dash: Dash, key: str, payloads: list[dict[str, object]], **options: object) -> None:
    """Jobs of one definition."""
    jobs = [{"definition": key, "payload": payload, **options} for payload in payloads]
    answer = await dash.api.post("/jobs/batch", json={"jobs": jobs})
    assert answer.status_code == 201, answer.text


async def until_told(dash: Dash) -> None:
    """Nothing waits, and all of it is counted."""

    async def quiet() -> bool:
        found = (await dash.api.get("/jobs/summary", params={"window": "1h"})).json()
        health = (await dash.api.get("/overview/health")).json()
        return bool(
            found["queued"] == 0
            and found["running"] == 1
            and found["scheduled"] == 1
            and health["title"] == "sync-dropbox is failing"
        )

    await until("the story is told", quiet)
