"""Bodies that mean harm, sent to a real server: refused early, and its memory stays flat."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.served import Served

LARGEST_GROWTH_MB = 120


def wrapped(payload: bytes) -> bytes:
    """A request for a job with that payload."""
    return b'{"definition_key": "work", "payload": {"x": ' + payload + b"}}"


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (wrapped(b"[" * 10_000 + b"]" * 10_000), 422),
        (wrapped(b"[" * 10_000), 422),
        (wrapped(b'{"a":' * 10_000 + b"1" + b"}" * 10_000), 422),
        (wrapped(b"9" * 1_000_000), 422),
        (wrapped(b"1e999999"), 422),
        (wrapped(b"NaN"), 422),
        (wrapped(b'"\\u0000"'), 422),
        (wrapped(b'"\\ud800"'), 422),
        (wrapped(b'"' + b"\xff" * 10 + b'"'), 400),
        (b'{"definition_key": "a\\u0000b"}', 422),
        (b"", 422),
        (b"[", 422),
        (b"null", 422),
        (b'{"definition_key": "work"' + b" " * 34_000_000 + b"}", 413),
        (wrapped(json.dumps("x" * 2_000_000).encode()), 413),
        (b'{"jobs": ' + b"[" * 60 + b"]" * 60 + b"}", 422),
        (wrapped(b'["a", ' * 400_000), 422),
        (wrapped(b"[" + b"[]," * 1_100_000 + b"[]]"), 422),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else str(value),
)
async def test_a_body_that_means_harm_is_refused(api: Api, body: bytes, status: int) -> None:
    headers = {"Content-Type": "application/json"}
    async with await api.caller("tenant_admin", "acme") as client:
        answer = await client.post("/api/v1/jobs", content=body, headers=headers)

    assert 400 <= answer.status_code < 500, answer.text
    assert answer.status_code in (status, 422, 400), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


async def test_endless_deep_and_compressed_bodies_leave_the_memory_flat(served: Served) -> None:
    def endless() -> Iterator[bytes]:
        yield b'{"definition_key": "work", "payload": {"x": "'
        for _ in range(1024):
            yield b"x" * 1_048_576  # a gigabyte, if anybody reads it

    async with served.client() as client:
        await client.post("/api/v1/jobs", json={"definition_key": "work"})
        before = served.memory()

        for _ in range(2):
            assert await refused(client, content=as_async(endless())) in (413, None)
            bomb = gzip.compress(b" " * 50_000_000)
            assert await refused(client, content=bomb, headers={"Content-Encoding": "gzip"}) == 415
            assert await refused(client, content=wrapped(b"[" * 15_000_000)) == 422
            assert await refused(client, content=wrapped(b"1" * 30_000_000)) == 422
            assert await refused(client, content=wrapped(b'["ab12",' * 3_000_000)) == 422
            assert await refused(client, content=wrapped(b"[" + b"[]," * 10_000_000 + b"[]]")) == 422

        assert (await client.post("/api/v1/jobs", json={"definition_key": "work"})).status_code == 201
        assert served.memory() - before < LARGEST_GROWTH_MB


async def as_async(parts: Iterator[bytes]) -> AsyncIterator[bytes]:
    """In pieces, so without a length."""
    for part in parts:
        yield part


async def refused(client: httpx.AsyncClient, **request: object) -> int | None:
    """The status, or none when the server hung up in the middle of the body, as it may."""
    try:
        return (await client.post("/api/v1/jobs", **request)).status_code  # type: ignore[arg-type]
    except (httpx.WriteError, httpx.ReadError, httpx.RemoteProtocolError):
        return None
