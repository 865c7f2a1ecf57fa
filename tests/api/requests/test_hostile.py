"""Bodies that mean harm are refused. How far they are read at most is in `test_bodies.py`."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.api.conftest import Api


def wrapped(payload: bytes) -> bytes:
    """A request for a job with that payload."""
    return b'{"definition": "work", "payload": {"x": ' + payload + b"}}"


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
        (b'{"definition": "a\\u0000b"}', 422),
        (b"", 422),
        (b"[", 422),
        (b"null", 422),
        (b'{"definition": "work"' + b" " * 34_000_000 + b"}", 413),
        (wrapped(json.dumps("x" * 2_000_000).encode()), 413),
        (b'{"jobs": ' + b"[" * 60 + b"]" * 60 + b"}", 422),
        (wrapped(b'["a", ' * 400_000), 422),
        (wrapped(b"[" + b"[]," * 1_100_000 + b"[]]"), 422),
        (wrapped(b'"x"').decode().encode("utf-16"), 400),
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


async def test_a_compressed_body_is_refused_unread(api: Api) -> None:
    bomb = gzip.compress(b" " * 1_000_000)
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    async with await api.caller("tenant_admin", "acme") as client:
        answer = await client.post("/api/v1/jobs", content=bomb, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_encoding")
    assert answer.headers["connection"] == "close"
