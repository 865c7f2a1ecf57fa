"""Which `Host` of a request is this server: the names that it knows, and nothing that only begins or ends like one."""

from __future__ import annotations

import pytest
from starlette.types import Message, Receive, Scope, Send

from headrace.api.hosts import AllowedHosts

OURS = ["localhost", "LOCALHOST:8720", "localhost:", "127.0.0.1:1", "[::1]", "[::1]:8720", "jobs.example", "[::2]:80"]
NOT_OURS = [
    "[::1].evil.example",
    "[::1].evil.example:8720",
    "[::1]evil.example",
    "x[::1]",
    "[::1",
    "::1",
    "[::1%25eth0]",
    "[::ffff:127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "localhost.",
    "localhost.evil.example",
    "evil.example",
    "localhost:80:80",
    "localhost:80.evil.example",
    "localhost:evil",
    "localhost@evil.example",
    "user@localhost",
    "localhost/evil",
    "localhost, evil.example",
    " localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1.",
    "",
]


async def answers(scope: Scope, receive: Receive, send: Send) -> None:
    """What stands behind: it has no look at the host."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def status_of(*hosts: str) -> int:
    """What a request gets that names these hosts, byte by byte as no client would write them."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "http.request"}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", host.encode()) for host in hosts]}
    await AllowedHosts(answers, hosts=("jobs.example", "[::2]"))(scope, receive, send)
    status: int = sent[0]["status"]
    return status


@pytest.mark.parametrize("host", OURS)
async def test_a_name_of_this_server_is_answered(host: str) -> None:
    assert await status_of(host) == 200


@pytest.mark.parametrize("host", NOT_OURS)
async def test_any_other_form_is_misdirected(host: str) -> None:
    assert await status_of(host) == 421


async def test_two_names_are_misdirected_though_both_are_ours() -> None:
    assert await status_of("localhost", "jobs.example") == 421
    assert await status_of() == 421
