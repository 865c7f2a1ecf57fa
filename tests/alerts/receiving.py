"""Who gets notices: a real HTTP server and a real SMTP server, both on this machine."""

from __future__ import annotations

import asyncio
import email
import email.policy
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from typing import Any, NamedTuple

# One answer: its status, headers and body.
Answer = tuple[int, dict[str, str], bytes]


class Request(NamedTuple):
    """What came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Hook:
    """An HTTP server that takes what it is sent, and answers what a test wants."""

    port: int = 0
    requests: list[Request] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request on each connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(head[0].split()[1], headers, body))
        status, more, answer = self.answers.pop(0) if self.answers else (204, {}, b"")
        lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(answer)}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in more.items()]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + answer)
        await writer.drain()
        writer.close()


@dataclass
class Mailbox:
    """An SMTP server that keeps what it is sent, and may refuse."""

    port: int = 0
    mails: list[EmailMessage] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One conversation."""

        async def say(line: str) -> None:
            writer.write(f"{line}\r\n".encode())
            await writer.drain()

        await say("220 sink")
        while line := (await reader.readline()).decode().strip():
            match line.split()[0].upper():
                case "EHLO":
                    await say("250-sink")
                    await say("250 AUTH PLAIN")
                case "AUTH":
                    self.logins.append(line)
                    await say("235 come in")
                case "RCPT" if self.refusals:
                    await say(self.refusals.pop(0))
                case "DATA":
                    await say("354 go on")
                    text = (await reader.readuntil(b"\r\n.\r\n")).removesuffix(b".\r\n")
                    plain = text.replace(b"\r\n", b"\n").replace(b"\n..", b"\n.")
                    self.mails.append(email.message_from_bytes(plain, policy=email.policy.default))
                    await say("250 taken")
                case "QUIT":
                    await say("221 bye")
                    break
                case _:
                    await say("250 ok")
        writer.close()


@asynccontextmanager
async def listening(serve: Callable[..., Any], tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on a port of its own, for the block."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def hook(tls: ssl.SSLContext | None = None) -> AsyncIterator[Hook]:
    """An HTTP server, or an HTTPS one."""
    it = Hook()
    async with listening(it.serve, tls) as it.port:
        yield it


@asynccontextmanager
async def mailbox() -> AsyncIterator[Mailbox]:
    """An SMTP server."""
    it = Mailbox()
    async with listening(it.serve) as it.port:
        yield it
