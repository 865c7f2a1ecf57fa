"""The statements of these verbs, asked for the wrong tenant or for all: behind the wall they still find nothing."""

from __future__ import annotations

from uuid import UUID

import pytest
from tests.api.conftest import Api

from headrace.errors import NotFound
from headrace.logs.read import read_lines
from headrace.service import Principal
from headrace.service.events import service as events_service
from headrace.service.session import begin
from headrace.triggers.change import delete_trigger, set_enabled, update_trigger
from headrace.triggers.read import ALL, list_deliveries, list_fires, name_trigger, page_triggers
from headrace.triggers.run_now import run_now

GLOBEX = Principal("test", "tenant_admin", "globex")


async def of_acme(api: Api) -> tuple[UUID, int]:
    """A trigger of acme that has fired, and acme's number."""
    trigger_id = await api.system.triggers.create("hourly", "work", tenant="acme", cron="@hourly")
    await api.system.triggers.fire(trigger_id)
    async with api.hr.database.pool.acquire() as conn:
        return trigger_id, await conn.fetchval("select id from headrace.tenant where name = 'acme'")


async def test_triggers_are_not_found_whichever_tenant_is_asked_for(api: Api) -> None:
    trigger_id, acme = await of_acme(api)
    async with begin(api.hr, GLOBEX, "triggers.read") as act:
        for tenant_id in (None, acme):
            assert await page_triggers(act.conn, ALL, tenant_id=tenant_id, after=None, limit=10) == ([], False)
            with pytest.raises(NotFound):
                await name_trigger(act.conn, trigger_id, tenant_id=tenant_id, deleted=True)
        assert await list_fires(act.conn, trigger_id) == []
        assert await list_deliveries(act.conn, trigger_id) == []


async def test_triggers_are_not_changed_whichever_tenant_is_said(api: Api) -> None:
    await of_acme(api)
    before = await api.system.triggers.get("hourly", tenant="acme")
    for change in (
        lambda conn: update_trigger(conn, "hourly", {"priority": 1}, tenant="acme"),
        lambda conn: set_enabled(conn, "hourly", tenant="acme", enabled=False),
        lambda conn: delete_trigger(conn, "hourly", tenant="acme"),
        lambda conn: run_now(conn, "hourly", tenant="acme"),
    ):
        with pytest.raises(NotFound, match='unknown tenant "acme"'):
            async with begin(api.hr, GLOBEX, "triggers.change") as act:
                await change(act.conn)
    assert await api.system.triggers.get("hourly", tenant="acme") == before


async def test_events_and_lines_are_not_found_whichever_tenant_is_asked_for(api: Api) -> None:
    _, acme = await of_acme(api)
    event_id = await api.system.events.emit("order.paid", {"n": 1}, tenant="acme")
    job_id = await api.hr.enqueue("work", tenant="acme")
    await api.execute(
        "insert into headrace.log (at, job_id, run, seq, tenant_id, definition_id, level, stream, message)"
        " select now(), id, 1, 1, tenant_id, definition_id, 20, 0, 'secret' from headrace.job where id = $1",
        job_id,
    )
    async with api.hr.database.pool.acquire() as conn:
        assert len((await read_lines(conn, job_id)).lines) == 1
    async with begin(api.hr, GLOBEX, "events.read") as act:
        for tenant_id in (None, acme):
            found = await act.conn.fetch(events_service.SQL["read_events"], tenant_id, event_id, None, None, 10)
            assert found == []
        assert (await read_lines(act.conn, job_id)).lines == []


async def test_an_event_cannot_be_published_in_anothers_name(api: Api) -> None:
    service = api.as_tenant("globex")
    with pytest.raises(NotFound, match='unknown tenant "acme"'):
        await service.events.emit("order.paid", tenant="acme")
    with pytest.raises(NotFound, match='unknown tenant "acme"'):
        await service.triggers.create("a", "work", tenant="acme", cron="@daily")
    with pytest.raises(NotFound, match='unknown tenant "acme"'):
        await service.triggers.page(tenant="acme")
    with pytest.raises(NotFound, match='unknown tenant "acme"'):
        await service.logs.search(tenant="acme")
    assert (await api.system.events.list()).items == []
