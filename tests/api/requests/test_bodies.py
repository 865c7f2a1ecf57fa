"""Bodies are read within bounds: after the credential, no further than the route needs, and parsed beside the loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import httpx
import pytest
from tests.api.access import ACCESS, IDS
from tests.api.conftest import Api
from tests.api.test_access import operations
from tests.waiting import until

from headrace.api.body import parse, route
from headrace.api.body.memory import FREE, BodyRoom, NoRoom
from headrace.api.body.read import SECONDS, BodyTooSlow, read_body, seconds_left
from headrace.api.body.sizes import BATCH, LARGEST, MB, STRANGERS
from headrace.model.job.request import JobRequest
from headrace.model.secret.encryption import SecretBox
from headrace.service.jobs.enqueue import AT_A_TIME, _payloads

PIECE = b"x" * 65_536
AN_ID = "01900000-0000-7000-8000-000000000000"


@dataclass
class Sending:
    """A request whose body comes in pieces, for as long as somebody reads them."""

    pieces: Iterator[bytes]
    read: int = 0
    status: int = 0
    headers: dict[bytes, bytes] = field(default_factory=dict)
    answer: bytes = b""
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self) -> Any:
        """The next piece; then nothing, until the client goes."""
        piece = next(self.pieces, None)
        if piece is None:
            await self.gone.wait()
            return {"type": "http.disconnect"}
        self.read += len(piece)
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(self, message: Any) -> None:
        """Keep the answer."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        self.answer += message.get("body", b"")


async def send(
    app: Any, path: str, pieces: Iterable[bytes], *, token: str | None = None, method: str = "POST", length: int = 0
) -> Sending:
    """To the application, which has an answer before the body ends."""
    sending = Sending(iter(pieces))
    await app(scope(path, token, method, length), sending.receive, sending.send)
    return sending


def scope(path: str, token: str | None = None, method: str = "POST", length: int = 0) -> dict[str, Any]:
    """A request with a body: of a length, or in pieces."""
    size = (b"content-length", str(length).encode()) if length else (b"transfer-encoding", b"chunked")
    headers = [(b"host", b"headrace.test"), (b"content-type", b"application/json"), size]
    if token is not None:
        headers.append((b"authorization", f"Bearer {token}".encode()))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.upper(),
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "server": ("headrace.test", 80),
        "client": ("127.0.0.1", 1),
    }


def path_of(path: str) -> str:
    """With an id in each of its places."""
    return path.format_map(
        {**{f"{name}_id": AN_ID for name in ("job", "trigger", "event", "operation")}, **IDS, **ALERTS}
    )


ALERTS = {f"alert{name}_id": AN_ID for name in ("", "_rule", "_target")}


async def test_without_a_credential_no_byte_of_the_body_is_read(api: Api) -> None:
    for operation in operations():
        if ACCESS[operation.name].roles is None:
            continue
        for token in (None, "hr_wrong"):
            sent = await send(api.asgi, path_of(operation.path), repeat(PIECE), token=token, method=operation.method)
            assert (sent.status, sent.read) == (401, 0), operation
            assert sent.headers[b"connection"] == b"close", operation


async def test_every_route_refuses_a_body_beyond_its_own_size_and_names_it(api: Api) -> None:
    token = await api.token("super_admin")
    for operation in operations():
        if operation.method == "get":
            continue
        stranger = ACCESS[operation.name].roles is None
        largest = STRANGERS if stranger else LARGEST.get(operation.name, MB)
        path = path_of(operation.path)
        said = await send(api.asgi, path, repeat(PIECE), token=token, method=operation.method, length=largest + 1)
        assert (said.status, said.read) == (413, 0), operation
        assert f"at most {largest:,} bytes" in json.loads(said.answer)["detail"]
        if largest <= MB:
            unsaid = await send(api.asgi, path, repeat(PIECE), token=token, method=operation.method)
            assert (unsaid.status, unsaid.headers[b"connection"]) == (413, b"close"), operation
            assert unsaid.read == largest + len(PIECE), operation


async def test_sizes_are_of_routes_that_there_are() -> None:
    assert set(LARGEST) <= {operation.name for operation in operations()}


async def test_a_body_that_goes_too_far_is_read_no_further(api: Api) -> None:
    token = await api.token("tenant_admin", "acme")
    for piece, code in ((b"[" * 65_536, "too_deep"), (b"1" * 65_536, "number_too_long")):
        sent = await send(api.asgi, "/api/v1/jobs/batch", repeat(piece), token=token)
        assert (sent.status, json.loads(sent.answer)["code"], sent.read) == (422, code, 65_536)


async def test_a_large_body_is_parsed_in_another_thread(
    acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    parse_here = parse._parse

    def noting(body: Any) -> Any:
        threads.append(threading.current_thread())
        return parse_here(body)

    monkeypatch.setattr(parse, "_parse", noting)
    for count in (1, parse.MANY_VALUES):
        body = {"jobs": [{"definition": "work"}], "x": [1] * count}
        answer = await acme.post("/api/v1/jobs/batch", json=body)
        assert answer.json()["errors"] == [{"field": "x", "message": "Extra inputs are not permitted"}]
    assert [thread is threading.main_thread() for thread in threads] == [True, False]


async def test_callers_take_turns_at_the_parser_however_many_bodies_one_of_them_sends(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_line, parsed, begin = 0, list[str](), threading.Event()
    parse_here, parse_beside = parse._parse, parse.parse

    def noting(body: Any) -> Any:
        begin.wait(100)
        value = parse_here(body)
        parsed.append(value["who"])
        return value

    def counting(*args: Any) -> Any:
        nonlocal in_line
        in_line += 1
        return parse_beside(*args)

    monkeypatch.setattr(parse, "_parse", noting)
    monkeypatch.setattr(route, "parse", counting)
    async with asyncio.TaskGroup() as asked:
        for _ in range(5):
            asked.create_task(acme.post("/api/v1/jobs/batch", json={"who": "acme", "x": "x" * parse.LARGE}))
        await until("a tenant's bodies wait for the parser", lambda: in_line == 5)
        asked.create_task(globex.post("/api/v1/jobs/batch", json={"who": "globex", "x": "x" * parse.LARGE}))
        await until("the other tenant's waits too", lambda: in_line == 6)
        begin.set()
    assert parsed == ["acme", "globex", "acme", "acme", "acme", "acme"]


@pytest.mark.parametrize("text", ['{"a": [1, -2.5e3, true, null, "\\u00e9"], "b": {}}', "[1,]", '{"a"}', "[1 2]", ""])
def test_the_patient_parser_says_what_the_other_says(text: str) -> None:
    def outcome(cls: Any) -> object:
        try:
            return json.loads(text, cls=cls)
        except json.JSONDecodeError as error:
            return str(error)

    assert outcome(parse._YieldingDecoder) == outcome(None)


async def test_others_have_a_turn_while_a_large_batch_is_checked() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    running = asyncio.create_task(other())
    requests = [JobRequest(definition="work", payload={"x": "x" * AT_A_TIME})] * 10
    await _payloads(requests, {"work": "{}"}, SecretBox.read(None), "acme")
    running.cancel()
    assert turns == 10


async def test_bodies_of_all_requests_together_are_bounded_and_each_tenant_has_its_share(api: Api) -> None:
    room = api.asgi.api.state.body_room
    half = 64 * MB
    tokens = {name: await api.token("tenant_admin", name) for name in ("acme", "globex")}

    def begin(name: str) -> tuple[Sending, asyncio.Task[None]]:
        sending = Sending(iter([b" " * (BATCH - 1)]))
        request = api.asgi(scope("/api/v1/jobs/batch", tokens[name]), sending.receive, sending.send)
        return sending, asyncio.create_task(request)

    first = [begin("acme"), begin("acme")]
    await until("two bodies are held", lambda: room.held == 2 * (BATCH - 1 - FREE) < half)
    refused, _ = third = begin("acme")
    await until("a third of the tenant is refused", lambda: refused.status != 0)
    assert (refused.status, refused.headers[b"retry-after"], refused.headers[b"connection"]) == (503, b"2", b"close")
    async with api.with_token(tokens["acme"]) as client:
        assert (await client.post("/api/v1/jobs", json={"definition": "work"})).status_code == 201
    other = begin("globex")
    await until("another tenant's is held", lambda: room.held == 3 * (BATCH - 1 - FREE))
    for sending, task in (*first, third, other):
        sending.gone.set()
        await task
    assert room.held == 0


def test_strangers_have_a_small_share_of_the_room_from_the_first_byte() -> None:
    room = BodyRoom(64 * MB)
    with room.holding(None) as holding:
        holding.take(4 * MB)
        with pytest.raises(NoRoom), room.holding(None) as another:
            another.take(1)
    assert room.held == 0


async def test_a_body_that_does_not_come_in_time_is_refused() -> None:
    sending = Sending(iter([b"{"]))
    with pytest.raises(BodyTooSlow), BodyRoom(MB).holding(None) as holding:
        await read_body(sending.receive, httpx.Headers(), largest=MB, holding=holding, seconds=0)  # type: ignore[arg-type]


def test_a_slow_upload_has_the_time_that_it_needs_and_a_trickle_has_not() -> None:
    slow, trickle = 40_000, 1_000
    assert all(seconds_left(SECONDS, second * slow, second) > 0 for second in range(BATCH // slow))
    assert seconds_left(SECONDS, 31 * trickle, 31) < 0
