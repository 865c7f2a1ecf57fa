"""`hr.control`: the verbs of the control plane from Python, as the application itself or as somebody."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.waiting import PATIENCE
from tests.worker.running import app_on, finished, working

from headrace import Context, Headrace
from headrace.app.open_here import NotOpen
from headrace.errors import BadRequest, Forbidden, HeadraceError, NotFound
from headrace.model.job.request import JobRequest
from headrace.service import Principal
from headrace.service.triggers.render import SampleEvent


def declared(url: str) -> Headrace:
    hr = app_on(url)

    @hr.job("work")
    async def work(ctx: Context, n: int = 0) -> None:
        ctx.log.info("working", n=n)

    return hr


async def test_it_works_while_the_application_is_open_and_says_so_otherwise(database_url: str) -> None:
    hr = declared(database_url)
    for call in (
        lambda: hr.control.triggers.list(),
        lambda: hr.control.logs.read(uuid4()),
        lambda: hr.control.definitions.list(),
        lambda: hr.control.events.emit("a"),
        lambda: hr.control.jobs.list(),
        lambda: hr.control.tokens.list(),
        lambda: hr.control.as_(Principal("ada", "tenant_admin", "default")).triggers.list(),
    ):
        with pytest.raises(NotOpen):
            await call()
    async with hr:
        assert await hr.control.triggers.list() == []
    with pytest.raises(NotOpen):
        await hr.control.triggers.list()


async def test_a_trigger_is_known_by_its_name_and_by_its_id(database_url: str) -> None:
    async with declared(database_url) as hr:
        triggers = hr.control.triggers
        trigger_id = await triggers.create("hourly", "work", cron="@hourly")
        assert await triggers.get(trigger_id) == await triggers.get("hourly")
        await triggers.update(trigger_id, payload={"n": 1})
        await triggers.disable(trigger_id, note="by id")
        assert (await triggers.get("hourly")).pause_note == "by id"
        await triggers.enable("hourly")
        assert (await triggers.fire(trigger_id)).fired
        assert await triggers.fires(trigger_id) == await triggers.fires("hourly")
        with pytest.raises(NotFound):
            await triggers.get(trigger_id, tenant="nobody")
        with pytest.raises(NotFound):
            await triggers.get(str(trigger_id))  # text is a name
        await triggers.delete(trigger_id)
        with pytest.raises(NotFound, match=str(trigger_id)):
            await triggers.get(trigger_id)
        assert len(await triggers.fires(trigger_id)) == 1


async def test_a_disabled_definition_rejects_jobs_until_it_is_enabled(database_url: str) -> None:
    async with declared(database_url) as hr:
        assert not (await hr.control.definitions.disable("work")).enabled
        with pytest.raises(HeadraceError, match="disabled"):
            await hr.enqueue("work")
        assert (await hr.control.definitions.enable("work")).enabled
        await hr.enqueue("work")


async def test_what_the_application_does_is_written_down_as_its_own(database_url: str) -> None:
    async with declared(database_url) as hr:
        trigger_id = await hr.control.triggers.create("a", "work", cron="@hourly")
        assert (await hr.control.triggers.get("a")).created_by == "system"
        async with hr.database.pool.acquire() as conn:
            who = await conn.fetchval("select who from headrace.audit where target = $1", str(trigger_id))
        assert who == "system"


async def test_as_somebody_the_same_verbs_have_their_limits(database_url: str) -> None:
    async with declared(database_url) as hr:
        async with hr.database.pool.acquire() as conn:
            await conn.executemany("insert into headrace.tenant (name) values ($1)", [("acme",), ("globex",)])
        ada = hr.control.as_(Principal("ada", "tenant_admin", "acme"))
        trigger_id = await ada.triggers.create("a", "work", cron="@hourly")
        trigger = await hr.control.triggers.get("a", tenant="acme")
        assert (trigger.id, trigger.created_by) == (trigger_id, "ada")
        assert await ada.triggers.list() == [trigger]
        bob = hr.control.as_(Principal("bob", "tenant_admin", "globex"))
        assert await bob.triggers.list() == []
        for call in (bob.triggers.get, bob.triggers.delete, bob.triggers.fire, bob.triggers.fires):
            with pytest.raises(NotFound, match=f'unknown trigger "{trigger_id}"'):
                await call(trigger_id)
        with pytest.raises(NotFound, match='unknown tenant "acme"'):
            await bob.triggers.get("a", tenant="acme")
        eve = hr.control.as_(Principal("eve", "tenant_viewer", "acme"))
        assert (await eve.triggers.get("a")).id == trigger_id
        assert (await eve.triggers.preview_settings(1, cron="@daily")).times
        with pytest.raises(Forbidden):
            await eve.triggers.disable("a")
        drone = hr.control.as_(Principal("drone", "worker"))
        with pytest.raises(Forbidden):
            await drone.triggers.preview_settings(1, cron="@daily")
        with pytest.raises(Forbidden):
            await ada.definitions.update("work", priority=1)


async def test_lines_are_read_followed_and_searched(database_url: str) -> None:
    hr = declared(database_url)
    async with working(hr):
        job_id = await hr.enqueue("work", {"n": 7})
        lines = [line.message async for line in hr.control.logs.follow(job_id)]
        assert lines == ["working"]
        page = await hr.control.logs.read(job_id)
        assert ([line.message for line in page.lines], page.ended) == (["working"], True)
        found = await hr.control.logs.search("working", tenant="default", job_id=job_id)
        assert [hit.line.message for hit in found.hits] == ["working"]
        with pytest.raises(NotFound, match="unknown job"):
            await hr.control.logs.read(uuid4())
        with pytest.raises(NotFound, match="unknown job"):
            await anext(hr.control.logs.follow(uuid4()))
        for limit in (0, 10_001):
            with pytest.raises(BadRequest, match="limit is 1 to 10,000"):
                await hr.control.logs.read(job_id, limit=limit)


async def test_definitions_events_and_jobs_are_there_too(database_url: str) -> None:
    hr = declared(database_url)
    async with working(hr):
        await hr.control.definitions.update("work", priority=9, timeout_seconds=None)
        assert (await hr.control.definitions.inspect("work")).overrides == {"priority": (100, 9)}
        event_id = await hr.control.events.emit("order.paid", {"n": 1})
        assert isinstance(event_id, UUID)
        assert (await hr.control.events.get(event_id)).data == {"n": 1}
        made = await hr.control.jobs.enqueue(JobRequest(definition="work"))
        assert made.job.tenant == "default"
        await asyncio.wait_for(finished(hr, made.job.id), PATIENCE)
        tried = await hr.control.triggers.render(SampleEvent(payload={"n": "{{event.n}}"}, data={"n": 3}))
        assert tried.payload == {"n": 3}


async def test_settings_of_a_definition_that_will_not_do_are_named(database_url: str) -> None:
    async with declared(database_url) as hr:
        wrong: Any
        for name, value in (
            ("priority", 1.5),
            ("priority", True),
            ("max_attempts", None),
            ("timeout_seconds", float("inf")),
            ("retry_base_seconds", float("nan")),
            ("queue", 5),
            ("enabled", 1),
            ("kind", "sql"),
        ):
            wrong = {name: value}
            with pytest.raises(BadRequest, match=name) as refused:
                await hr.control.definitions.update("work", **wrong)
            assert refused.value.field == name
        with pytest.raises(NotFound, match='unknown definition "nothing"'):
            await hr.control.definitions.update("nothing", priority=1)
