"""A tenant stays in the queues and the priorities that it was given, the system queue takes no other jobs, and a queue
that nobody uses any more is forgotten."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import asyncpg
import httpx
import pytest
from tests.api.conftest import Api
from tests.worker.running import finished, running

from headrace.builtin.maintain_partitions import maintain_partitions
from headrace.builtin.workplace import Workplace
from headrace.db.sqlstate import translated_errors
from headrace.errors import BadRequest, Forbidden
from headrace.model.definition import declare
from headrace.model.job.request import JobRequest
from headrace.model.system import SYSTEM_QUEUE
from headrace.queue.forget import forget_unused_lanes
from headrace.service import Principal
from headrace.service.session import begin
from headrace.worker.process.database_worker import WorkerProcess

JOBS, TRIGGERS = "/api/v1/jobs", "/api/v1/jobs/triggers"
TENANT, QUEUES = "/api/v1/admin/tenants/acme", "/api/v1/admin/queues"
ACME = Principal("ann", "tenant_admin", "acme")
Place = dict[str, Any]
Door = Callable[[Api, Place], Awaitable[object]]


async def as_one_job(api: Api, place: Place) -> object:
    return await api.hr.control.as_(ACME).jobs.enqueue(JobRequest(definition="work", **place))


async def in_a_batch(api: Api, place: Place) -> object:
    requests = [JobRequest(definition="work"), JobRequest(definition="work", **place)]
    return await api.hr.control.as_(ACME).jobs.enqueue_many(requests)


async def by_a_new_trigger(api: Api, place: Place) -> object:
    return await api.hr.control.as_(ACME).triggers.create("mine", "work", cron="@daily", **place)


async def by_a_changed_trigger(api: Api, place: Place) -> None:
    await api.hr.control.as_(ACME).triggers.create("mine", "work", cron="@daily")
    await api.hr.control.as_(ACME).triggers.update("mine", **place)


async def by_the_sql_api(api: Api, place: Place) -> object:
    """As a request that a later version may make: the database itself asks."""
    async with begin(api.hr, ACME, "jobs.enqueue") as scope:
        [(name, value)] = place.items()
        return await scope.conn.fetchval(f"select headrace.enqueue('work', tenant => 'acme', {name} => $1)", value)


async def by_a_row(api: Api, place: Place) -> object:
    async with begin(api.hr, ACME, "triggers.change") as scope:
        [(name, value)] = place.items()
        return await scope.conn.execute(
            f"insert into headrace.trigger (tenant_id, name, definition_id, cron, {name})"
            " select headrace._tenant_id('acme'), 'mine', id, '@daily', $1 from headrace.definition where key = 'work'",
            value,
        )


DOORS: list[Door] = [as_one_job, in_a_batch, by_a_new_trigger, by_a_changed_trigger, by_the_sql_api, by_a_row]


async def count(api: Api, what: str) -> int:
    async with api.hr.database.pool.acquire() as conn:
        n: int = await conn.fetchval(f"select count(*) from headrace.{what}")
        return n


@pytest.mark.parametrize("place", [{"queue": "sneak"}, {"priority": 0}, {"priority": 99}], ids=str)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
async def test_a_tenant_does_not_leave_the_place_it_was_put_in(api: Api, door: Door, place: Place) -> None:
    with pytest.raises(Forbidden) as refused:
        await door(api, place)

    [name] = place
    assert refused.value.field == name
    assert await count(api, "queue") == 0
    assert await count(api, "lane where queue = 'sneak'") == 0


async def test_a_tenant_does_not_run_past_a_pause(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    await admin.post(f"{QUEUES}/default/pause")
    async with running(WorkerProcess(api.hr)):
        refused = await acme.post(JOBS, json={"definition": "work", "queue": "sneak", "priority": 0})
        await finished(api.hr, await api.hr.enqueue("work", queue="other"))

    assert refused.status_code == 403
    assert refused.json()["detail"] == (
        'tenant "acme" may not choose the queue "sneak" for jobs of "work"; allowed: default. Omit the queue for the '
        "definition's own, or have a super-admin allow it: headrace tenants update acme --queues sneak"
    )
    hurried = await acme.post(JOBS, json={"definition": "work", "priority": 0})
    assert hurried.json()["detail"] == (
        'tenant "acme" may not choose the priority 0 for jobs of "work"; allowed: 100 to 1000 (lower runs first). Omit '
        "the priority for the definition's own, or have a super-admin allow it: headrace tenants update acme "
        "--most-urgent-priority 0"
    )
    assert hurried.json()["errors"][0]["field"] == "priority"


async def test_a_tenant_chooses_what_an_operator_gave_it(admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    given = {"limits": {"queues": ["mail", "bulk"], "most_urgent_priority": 50}}
    changed = (await admin.patch(TENANT, json=given)).json()["limits"]
    assert (changed["queues"], changed["most_urgent_priority"]) == (["mail", "bulk"], 50)

    for place in ({"queue": "mail", "priority": 50}, {"queue": "default", "priority": 1000}, {"priority": 100}):
        answer = await acme.post(JOBS, json={"definition": "work", **place})
        assert (answer.status_code, answer.json() | place) == (201, answer.json())
    for place in ({"queue": "mail", "priority": 49}, {"queue": "sneak", "priority": 50}):
        assert (await acme.post(JOBS, json={"definition": "work", **place})).status_code == 403
    trigger = {"name": "mine", "definition": "work", "cron": "@daily", "queue": "mail", "priority": 50}
    assert (await acme.post(TRIGGERS, json=trigger)).status_code == 201

    for wrong in ({"queues": ["a b"]}, {"queues": [SYSTEM_QUEUE]}, {"queues": None}, {"most_urgent_priority": 1001}):
        assert (await admin.patch(TENANT, json={"limits": wrong})).status_code == 422


async def test_what_another_chose_stays_as_it_is(api: Api, acme: httpx.AsyncClient) -> None:
    place: Place = {"queue": "vip", "priority": 1}
    trigger_id = await api.system.triggers.create("theirs", "work", tenant="acme", cron="@daily", **place)
    mine = f"{TRIGGERS}/{trigger_id}"

    edited = await acme.patch(mine, json={"cron": "@hourly"})
    assert (edited.status_code, edited.json()["queue"], edited.json()["priority"]) == (200, "vip", 1)
    assert (await acme.post(f"{mine}/fire")).status_code == 200
    assert (await acme.patch(mine, json={"priority": 0})).status_code == 403
    assert (await acme.patch(mine, json={"queue": None, "priority": 200})).status_code == 200


async def test_a_retry_stays_in_its_place_and_an_edited_one_has_a_place_of_its_tenant(
    api: Api, acme: httpx.AsyncClient
) -> None:
    job_id = str(await api.hr.enqueue("greet", {"name": "Ann"}, tenant="acme", queue="vip", priority=1))
    await api.end(job_id, "failed")
    again = (await acme.post(f"{JOBS}/{job_id}/retry")).json()
    assert (again["queue"], again["priority"]) == ("vip", 1)
    await acme.post(f"{JOBS}/{job_id}/cancel")

    edited = (await acme.post(f"{JOBS}/{job_id}/retry", json={"payload": {"name": "Bob"}})).json()

    assert (edited["queue"], edited["priority"]) == ("default", 100)


async def test_a_super_admin_and_the_application_choose_any_place(api: Api, admin: httpx.AsyncClient) -> None:
    place: Place = {"queue": "sneak", "priority": 0}
    for_acme = {"X-Headrace-Tenant": "acme"}
    assert (await admin.post(JOBS, json={"definition": "work", **place}, headers=for_acme)).status_code == 201
    trigger = {"name": "theirs", "definition": "work", "cron": "@daily", **place}
    assert (await admin.post(TRIGGERS, json=trigger, headers=for_acme)).status_code == 201
    await api.hr.enqueue("work", tenant="acme", **place)
    await api.hr.control.jobs.enqueue(JobRequest(definition="work", **place), tenant="acme")
    await api.execute("select headrace.enqueue('work', tenant => 'acme', queue => 'sneak', priority => 0)")

    assert await count(api, "jobs where tenant = 'acme' and queue = 'sneak' and priority = 0") == 4


async def declared(api: Api) -> object:
    return declare("own", queue=SYSTEM_QUEUE)


async def set_of_a_definition(api: Api) -> object:
    return await api.system.definitions.update("work", queue=SYSTEM_QUEUE)


async def enqueued(api: Api) -> object:
    return await api.hr.enqueue("work", queue=SYSTEM_QUEUE)


async def enqueued_by_a_super_admin(api: Api) -> object:
    return await api.system.jobs.enqueue(JobRequest(definition="work", queue=SYSTEM_QUEUE), tenant="acme")


async def set_of_a_trigger(api: Api) -> object:
    return await api.system.triggers.create("own", "work", cron="@daily", queue=SYSTEM_QUEUE)


async def given_to_a_tenant(api: Api) -> object:
    return await api.system.tenants.change("acme", limits={"queues": [SYSTEM_QUEUE]})


async def defined_with_sql(api: Api) -> None:
    await api.execute("create function public.own() returns jsonb language sql as $$ select '{}'::jsonb $$")
    with translated_errors():
        await api.execute(
            "select headrace.define_sql_job('own', 'public.own', settings => $1)", '{"queue": "headrace"}'
        )


@pytest.mark.parametrize(
    "door",
    [
        declared,
        set_of_a_definition,
        enqueued,
        enqueued_by_a_super_admin,
        set_of_a_trigger,
        given_to_a_tenant,
        defined_with_sql,
    ],
    ids=lambda door: door.__name__,
)
async def test_no_other_job_enters_the_system_queue(api: Api, door: Callable[[Api], Awaitable[object]]) -> None:
    with pytest.raises(BadRequest, match=r'(?i)the queue "headrace" is for|not_the_system_queue'):
        await door(api)


@pytest.mark.parametrize(
    "statement",
    [
        "update headrace.definition set queue = 'headrace' where key = 'work'",
        "update headrace.tenant set queues = '{headrace}' where name = 'acme'",
        "insert into headrace.trigger (name, definition_id, cron, queue)"
        " select 'own', id, '@daily', 'headrace' from headrace.definition where key = 'work'",
    ],
)
async def test_no_statement_opens_the_system_queue(api: Api, statement: str) -> None:
    with pytest.raises(asyncpg.CheckViolationError, match="not_the_system_queue"):
        await api.execute(statement)


async def names(admin: httpx.AsyncClient) -> list[str]:
    return [queue["queue"] for queue in (await admin.get(QUEUES, params={"limit": 500})).json()["items"]]


async def count_for(api: Api, *, hours: int) -> None:
    """What maintenance does, when lanes have been unused for that long."""
    await api.fold()
    await api.sample_queue()
    await api.execute("update headrace.lane set unused_since = unused_since - make_interval(hours => $1)", hours)


async def maintain(api: Api) -> None:
    await maintain_partitions(Workplace(api.hr.database, api.hr.settings))


async def test_a_queue_that_nothing_declares_is_forgotten(api: Api, admin: httpx.AsyncClient) -> None:
    for n in range(200):
        await api.end(str(await api.hr.enqueue("work", queue=f"invented-{n}")), "succeeded")
    waits = await api.hr.enqueue("work", queue="waits")
    for queue in ("paused", "set", "given", "fired"):
        await api.end(str(await api.hr.enqueue("work", queue=queue)), "succeeded")
    await admin.post(f"{QUEUES}/paused/pause")
    await admin.patch(f"{QUEUES}/set", json={"max_running": 3})
    await admin.patch(TENANT, json={"limits": {"queues": ["given"]}})
    await api.system.triggers.create("daily", "work", cron="@daily", queue="fired")
    assert len(await names(admin)) == 206

    await count_for(api, hours=0)
    assert len(await names(admin)) == 206, "a queue stays in sight for an hour"
    await count_for(api, hours=2)

    kept = ["default", "fired", "given", "paused", "set", "waits"]
    assert await names(admin) == kept
    assert (await admin.get(f"{QUEUES}/invented-0")).status_code == 404
    assert await count(api, "jobs where queue like 'invented-%'") == 200, "history keeps the name of its queue"
    await maintain(api)
    assert await count(api, "lane where queue like 'invented-%'") == 200, "history refers to its lanes"

    await api.execute("delete from headrace.attempt")
    await api.execute("delete from headrace.job where id <> $1", waits)
    await api.hr.enqueue("work", queue="invented-7")
    await count_for(api, hours=24 * 365)
    await maintain(api)
    async with api.hr.database.pool.acquire() as conn:
        left = {row[0] for row in await conn.fetch("select distinct queue from headrace.lane")}
    assert left == {*kept, "invented-7"}


async def test_a_lane_is_not_forgotten_under_an_enqueue_that_has_not_committed(api: Api) -> None:
    await api.end(str(await api.hr.enqueue("work", queue="seldom")), "succeeded")
    await count_for(api, hours=24 * 365)
    async with api.hr.database.pool.acquire() as one, api.hr.database.pool.acquire() as other:
        async with one.transaction():
            job_id: UUID = await one.fetchval("select headrace.enqueue('work', queue => 'seldom')")
            assert await forget_unused_lanes(other) == 0
        assert await forget_unused_lanes(other) == 0
        assert await other.fetchval("select queue from headrace.jobs where id = $1", job_id) == "seldom"
