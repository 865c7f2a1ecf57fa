"""A tenant with more alerts than it needs: the work that all tenants share stays small."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.test_alerts import MAIL, RULES, TARGETS, make, sends

from headrace.alerts.delivery_job import DELIVER
from headrace.alerts.rules import MOST_RULES
from headrace.alerts.targets import MOST_TARGETS
from headrace.builtin.register import register_builtins
from headrace.builtin.registry import handlers
from headrace.builtin.workplace import Workplace
from headrace.queue.claim import claim_gated
from headrace.queue.lease import WorkerIdentity, register_worker

__all__ = ["sends"]


@pytest.mark.parametrize(
    ("path", "body", "most"), [(RULES, {"kind": "job_died"}, MOST_RULES), (TARGETS, MAIL, MOST_TARGETS)]
)
async def test_a_tenant_has_only_so_many_rules_and_targets(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient, path: str, body: dict[str, Any], most: int
) -> None:
    table = "alert_rule" if path == RULES else "alert_target"
    made = await make(acme, path, {**body, "name": "first"})
    await api.execute(
        f"insert into headrace.{table} select (jsonb_populate_record(one, jsonb_build_object("
        f"'id', gen_random_uuid(), 'name', 'one of many ' || n))).*"
        f" from headrace.{table} as one, generate_series(2, {most}) as n where id = $1::text::uuid",
        made["id"],
    )
    refused = await acme.post(path, json={**body, "name": "one too many"})
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict"), refused.text
    await make(globex, path, {**body, "name": "first"})


@pytest.mark.usefixtures("sends")
async def test_a_tenant_sends_a_test_notice_now_and_then(api: Api, acme: httpx.AsyncClient) -> None:
    target = await make(acme, TARGETS, MAIL)
    other = await make(acme, TARGETS, {**MAIL, "name": "others"})
    assert (await acme.post(f"{TARGETS}/{target['id']}/test")).status_code == 202
    refused = await acme.post(f"{TARGETS}/{other['id']}/test")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
    await api.execute("update headrace.alert_notice set created_at = created_at - interval '5 seconds'")
    assert (await acme.post(f"{TARGETS}/{other['id']}/test")).status_code == 202


async def test_the_notices_of_one_tenant_are_sent_one_at_a_time(
    api: Api, acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    async with api.hr.database.pool.acquire() as conn:
        place = Workplace(api.hr.database, api.hr.settings)
        await register_builtins(conn, handlers(place).values(), [])
        for client in (acme, globex):
            target = await make(client, TARGETS, MAIL)
            for _ in range(6 if client is acme else 1):
                notice_id = await conn.fetchval(
                    "insert into headrace.alert_notice (tenant_id, target_id, event, body)"
                    " select tenant_id, id, 'firing', '{}' from headrace.alert_target"
                    " where id = $1::text::uuid returning id",
                    target["id"],
                )
                await conn.execute("select headrace._send_notice($1)", notice_id)
        worker = await register_worker(
            conn, WorkerIdentity("w", "w", 0, "0", ("headrace",), (DELIVER,), 10, timedelta(hours=1))
        )
        lanes = await conn.fetchval("select array_agg(distinct lane_id) from headrace.queue")
        claimed = await claim_gated(conn, worker_id=worker, lanes=lanes, limit=10, suspects=1, up_to_priority=1000)
        jobs = [one.job_id for one in claimed.held]
        owners = await conn.fetch("select payload ->> 'tenant' from headrace.job where id = any($1)", jobs)
    assert Counter(owner for (owner,) in owners) == {"acme": 1, "globex": 1}
