"""Connections to our server: half a request is not waited for, strangers cannot take all places, and ends are clean."""

from __future__ import annotations

import asyncio
import gc
import json
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.listening import listening, served
from tests.waiting import until

from headrace.api.access_log import Caller
from headrace.app.serve import places
from headrace.app.serve.connection import Connection, most_connections
from headrace.app.serve.places import Places

HALF_A_HEAD = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nX-Half: "
HEALTHZ = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def serving(api: Api, made: list[Connection] | None = None, *, most: int = 100, **options: Any) -> Any:
    """The application on its own server's connections, which are gathered as they are made."""

    bounded = Places(most)

    def make(**given: Any) -> Connection:
        one = Connection(places=bounded, **options, **given)
        if made is not None:
            made.append(one)
        return one

    return served(api.asgi, http=make)


class Client:
    """A connection with nothing between us and its bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, request: bytes = HEALTHZ) -> tuple[int, Any]:
        """The status and the JSON of the next answer."""
        self.writer.write(request)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return int(head.split()[1]), json.loads(await self.reader.readexactly(length))

    async def ended(self) -> bool:
        """The server closed it."""
        try:
            return await self.reader.read(1) == b""
        except ConnectionError:
            return True


@asynccontextmanager
async def connect(url: str) -> AsyncIterator[Client]:
    """For the length of the block."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


def request(path: str, *, length: int, token: str | None = None) -> bytes:
    """The head of a request with a body."""
    credential = "" if token is None else f"Authorization: Bearer {token}\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{credential}Content-Length: {length}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode()


async def test_half_a_head_ends_the_connection_when_its_time_is_up(api: Api) -> None:
    made: list[Connection] = []
    async with serving(api, made) as url, connect(url) as client:
        client.writer.write(HALF_A_HEAD)
        await until("the server has heard it", lambda: bool(made) and made[0].conn.trailing_data[0] == HALF_A_HEAD)
        assert made[0].waits_for_head
        made[0].head_is_late()
        status, problem = await client.ask(b"")
        assert (status, problem["code"]) == (408, "head_too_slow")
        assert await client.ended()


@pytest.mark.parametrize("together", [True, False])
async def test_the_second_request_of_a_connection_has_a_deadline_too(api: Api, together: bool) -> None:
    made: list[Connection] = []
    async with serving(api, made) as url, connect(url) as client:
        assert (await client.ask(HEALTHZ + HALF_A_HEAD if together else HEALTHZ))[0] == 200
        if not together:
            assert not made[0].waits_for_head
            client.writer.write(HALF_A_HEAD)
        await until("the second is waited for", lambda: made[0].waits_for_head)
        made[0].head_is_late()
        assert (await client.ask(b""))[0] == 408


async def test_a_connection_on_which_nothing_comes_is_closed(api: Api) -> None:
    async with serving(api, head_seconds=0.05) as url, connect(url) as silent:
        assert await silent.ended()


async def test_a_stranger_is_answered_before_its_body_comes_and_while_it_sends(api: Api) -> None:
    async with serving(api) as url, connect(url) as waiting, connect(url) as sending:
        head = request("/api/v1/jobs", length=30_000_000)
        assert (await waiting.ask(head))[0] == 401
        assert await waiting.ended()
        assert (await sending.ask(head + b"[" * 5_000_000))[0] == 401
        assert await sending.ended()


async def test_a_connection_that_ended_is_gone_without_the_garbage_collector(api: Api) -> None:
    made: list[Connection] = []
    gc.disable()
    try:
        async with serving(api, made) as url:
            async with connect(url) as client:
                assert (await client.ask())[0] == 200
                assert (await client.ask(request("/api/v1/jobs", length=10) + b"x"))[0] == 401
                assert await client.ended()
            gone = weakref.ref(made.pop())
            await until("nothing holds it", lambda: gone() is None)
    finally:
        gc.enable()


async def test_probes_are_answered_while_bodies_are_unfinished(api: Api) -> None:
    token = await api.token("tenant_admin", "acme")
    async with serving(api) as url, connect(url) as first, connect(url) as second, connect(url) as probe:
        for client in (first, second):
            client.writer.write(request("/api/v1/jobs/batch", length=30_000_000, token=token) + b" " * 20_000_000)
        room = api.asgi.api.state.body_room
        await until("both bodies are being received", lambda: room.held > 39_000_000)
        assert (await probe.ask())[0] == 200
        for client in (first, second):
            client.writer.close()
        await until("nothing is held for who has gone", lambda: room.held == 0)


@dataclass(eq=False)
class Chair:
    """A connection as its places see it."""

    since: float
    recognised: bool = False
    is_idle: bool = True
    ended: bool = False

    @property
    def caller(self) -> Caller:
        return Caller(self.recognised)

    def end(self) -> None:
        self.ended = True


def test_old_strangers_go_first_then_idle_callers_then_young_strangers() -> None:
    busy, idle, old = Chair(0, recognised=True, is_idle=False), Chair(0, recognised=True), Chair(1)
    young, younger = Chair(9.5), Chair(9.6)
    bounded, come = Places(4), [busy, idle, old, young, younger]
    left = []
    for chair in (*come, Chair(9.7), Chair(9.8)):
        assert bounded.enter(chair, now=10)
        left += [other for other in come if other.ended and other not in left]
    assert left == [old, idle, young]


async def test_when_all_places_are_taken_the_oldest_stranger_goes(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "YOUNG_SECONDS", -1)
    token = await api.token("tenant_admin", "acme")
    async with serving(api, most=3) as url, listening(url, token), connect(url) as oldest:
        assert (await oldest.ask())[0] == 200
        async with connect(url) as old, connect(url) as young:
            assert (await old.ask())[0] == (await young.ask())[0] == 200
            assert await oldest.ended()
            async with httpx.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as known:
                assert (await known.get(f"{url}/api/v1/jobs")).status_code == 200
                assert await old.ended()


async def test_when_known_callers_are_answered_on_all_places_a_new_one_is_refused(api: Api) -> None:
    token = await api.token("tenant_admin", "acme")
    async with serving(api, most=1) as url, listening(url, token) as heard, connect(url) as client:
        status, problem = await client.ask(b"")
        assert (status, problem["code"]) == (503, "busy")
        assert await client.ended()
        await api.hr.enqueue("work", tenant="acme")
        await until("the stream goes on", lambda: bool(heard.jobs()))


def test_there_are_fewer_places_where_fewer_files_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _which: (256, 4096))
    assert (most_connections(900), most_connections(100)) == (156, 100)
