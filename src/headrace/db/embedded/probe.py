"""Asks the server itself whether it is up, in the few messages of its protocol that this takes."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.layout import PORT

PROTOCOL = 3 << 16
ANSWER_SECONDS = 5.0
CANNOT_CONNECT_NOW = "57P03"
TOO_MANY_CONNECTIONS = "53300"


class Answer(Enum):
    """What the server says of itself."""

    READY = "ready"
    STARTING = "starting"
    STOPPING = "stopping"
    OTHER = "the server of another cluster"
    SILENT = "nobody answers"


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def probe(socket_dir: Path, cluster: Path) -> Answer:
    """Ask which cluster the server runs; a process id proves nothing, as ids are reused."""
    try:
        mine = system_identifier(cluster)
        [[theirs]] = ask(socket_dir, "postgres", "select system_identifier from pg_control_system()")
    except Refused as refusal:
        return _answer_of(refusal)
    except OSError:
        return Answer.SILENT
    return Answer.READY if theirs == mine else Answer.OTHER


def _answer_of(refusal: Refused) -> Answer:
    if refusal.code == TOO_MANY_CONNECTIONS:
        return Answer.READY
    stopping = refusal.code != CANNOT_CONNECT_NOW or "shutting down" in str(refusal)
    return Answer.STOPPING if stopping else Answer.STARTING


def system_identifier(cluster: Path) -> str:
    """Read the number that initdb gave this cluster, which is at the head of its control file."""
    with (cluster / "global" / "pg_control").open("rb") as control:
        (number,) = struct.unpack("=Q", control.read(8))
    return str(number)


def ask(socket_dir: Path, database: str, query: str) -> list[list[str]]:
    """Run one query over a connection of its own and return the rows as text."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(str(socket_dir / f".s.PGSQL.{PORT}"))
        startup = f"user\0{ROLE}\0database\0{database}\0\0".encode()
        connection.sendall(struct.pack("!II", len(startup) + 8, PROTOCOL) + startup)
        list(_until_ready(connection))
        text = query.encode() + b"\0"
        connection.sendall(b"Q" + struct.pack("!I", len(text) + 4) + text)
        rows = [_columns(body) for kind, body in _until_ready(connection) if kind == b"D"]
        connection.sendall(b"X" + struct.pack("!I", 4))
        return rows


def _until_ready(connection: socket.socket) -> Iterator[tuple[bytes, bytes]]:
    kind = b""
    while kind != b"Z":
        kind, length = struct.unpack("!cI", _read(connection, 5))
        body = _read(connection, length - 4)
        if kind == b"E":
            fields = {part[:1]: part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
            raise Refused(fields.get(b"C", ""), fields.get(b"M", ""))
        yield kind, body


def _read(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = connection.recv(size - len(received))
        if not part:
            raise ConnectionResetError("the server closed the connection")
        received += part
    return received


def _columns(body: bytes) -> list[str]:
    (count,), offset, columns = struct.unpack_from("!H", body), 2, []
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, offset)
        offset += 4
        columns.append(body[offset : offset + max(length, 0)].decode())
        offset += max(length, 0)
    return columns
