"""Any number of listeners that come back read what they missed, and leave connections to all others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.api.conftest import Api
from tests.waiting import PATIENCE, until

from headrace.service.stream import hub as stream_hub
from headrace.service.stream.changes import read_changes
from headrace.service.stream.hub import Hub


async def test_a_token_is_recognised_while_many_listeners_come_back(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, begun = asyncio.Event(), 0

    async def slowly(*asked: Any) -> Any:
        nonlocal begun
        begun += 1
        await gate.wait()
        return await read_changes(*asked)

    monkeypatch.setattr(stream_hub, "read_changes", slowly)
    token = await api.token("tenant_viewer", "acme")
    hub: Hub = api.asgi.api.state.hub
    back = [asyncio.create_task(hub.catch_up(None, None)) for _ in range(50)]
    try:
        await until("some of them read", lambda: begun >= stream_hub.MOST_CATCH_UP)
        async with api.with_token(token) as client, asyncio.timeout(PATIENCE):
            assert (await client.get("/api/v1/session")).status_code == 200
        assert begun == stream_hub.MOST_CATCH_UP
    finally:
        gate.set()
        await asyncio.gather(*back)
    assert begun == 50
