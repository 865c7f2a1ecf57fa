"""As much of PostgreSQL's protocol as a proxy needs: where messages end, and which statement one runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

# What tells the statements apart that a fault may aim at.
MARKS = {
    "claim": ("run = run + 1", "_claim_gated", "_claim_alone"),
    "finish": ("insert into headrace.attempt",),
    "heartbeat": ("lease_expires_at = ", "heartbeat_at = "),
    "fire": ("headrace.fire", "headrace.event_inbox"),
}


class Message(NamedTuple):
    """Its type, and all of its bytes."""

    kind: bytes
    whole: bytes

    @property
    def body(self) -> bytes:
        return self.whole[5:]


class Messages:
    """Cuts a stream into whole messages; the first one of a client has no type."""

    def __init__(self, *, from_client: bool) -> None:
        self._buffer = bytearray()
        self._begins = from_client

    def feed(self, data: bytes) -> Iterator[Message]:
        self._buffer += data
        while True:
            head = 0 if self._begins else 1
            if len(self._buffer) < head + 4:
                return
            end = head + int.from_bytes(self._buffer[head : head + 4], "big")
            if len(self._buffer) < end:
                return
            whole = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield Message(b"" if self._begins else whole[:1], whole)
            self._begins = False


class Statements:
    """Which text a session gave to which name."""

    def __init__(self) -> None:
        self._texts: dict[bytes, str] = {}

    def run_by(self, messages: list[Message]) -> str | None:
        """The statement that these run as a whole, up to the answer that all is done."""
        text = None
        for message in messages:
            if message.kind == b"P":
                name, query, *_ = message.body.split(b"\0")
                self._texts[name] = query.decode(errors="replace")
            elif message.kind == b"B":
                _, name, *_ = message.body.split(b"\0", 2)
                text = self._texts.get(name)
        if [message.kind for message in messages][:1] == [b"B"] and messages[-1].kind == b"S":
            return text
        return None


def aims_of(statement: str) -> set[str]:
    """What a fault may call it."""
    return {aim for aim, marks in MARKS.items() if any(mark in statement for mark in marks)}


def refusal(sqlstate: str, status: bytes) -> bytes:
    """An error in place of an answer, and that the session is ready; its transaction, if any, has failed."""
    fields = [b"SERROR", b"VERROR", b"C" + sqlstate.encode(), b"Mrefused by the storm", b""]
    error = b"\0".join(fields) + b"\0"
    ready = b"E" if status != b"I" else b"I"
    return b"E" + (len(error) + 4).to_bytes(4, "big") + error + b"Z" + (5).to_bytes(4, "big") + ready


def describe(statement: str) -> str:
    """Its beginning, on one line."""
    return " ".join(statement.split())[:80]
