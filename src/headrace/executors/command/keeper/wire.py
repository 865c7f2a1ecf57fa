"""What worker, spawner and monitor say to each other."""

from __future__ import annotations

import json
import struct
from typing import NamedTuple

# To the spawner, and to a monitor whose spawner is gone: one byte each.
LAUNCH = b"L"  # with descriptors: control socket, specification, stdout, stderr, stdin if there is one
BEAT = b"B"

# To a monitor: one byte each. The end of the line means that the worker is gone.
GO = b"G"
STOP = b"T"
KILL = b"K"

# From a monitor: a kind, the length, the content.
HELLO = b"H"  # it is there and waits for GO: until then nothing has run
RESULT = b"R"
ENDED = b"E"
STANDS = b"S"  # with the processes that stand still, or none when they all go on; the command itself is not one of them

HEAD = struct.Struct("!cI")
MOST_RESULT = 1_000_000


class Spec(NamedTuple):
    """One launch, in values that JSON knows; texts stand for bytes, by `surrogateescape`."""

    argv: list[str]
    env: dict[str, str]
    timeout: float | None
    kill_grace: float
    memory_mb: int | None
    cpu_seconds: int | None
    file_size_mb: int | None
    open_files: int | None
    max_processes: int | None
    user: str | None
    result_file: bool

    def dump(self) -> bytes:
        """As it travels."""
        return json.dumps(self._asdict()).encode()

    @classmethod
    def load(cls, data: bytes) -> Spec:
        """As it was."""
        return cls(**json.loads(data))


class Report(NamedTuple):
    """How a command ended, as its monitor tells it; the result travels before it."""

    pid: int
    exit_code: int | None
    signal: int | None
    timed_out: bool
    stopped: bool
    duration: float
    cpu_seconds: float
    peak_memory_bytes: int
    leftovers: int
    unkillable: list[int]
    cannot_execute: str | None
    stood_still: bool

    def dump(self) -> bytes:
        """As it travels."""
        return json.dumps(self._asdict()).encode()

    @classmethod
    def load(cls, data: bytes) -> Report:
        """As it was."""
        return cls(**json.loads(data))


def frame(kind: bytes, content: bytes = b"") -> bytes:
    """A monitor's message as it travels."""
    return HEAD.pack(kind, len(content)) + content


def take_frames(buffer: bytearray) -> list[tuple[bytes, bytes]]:
    """The whole messages at the beginning of what was received, which are taken out of it."""
    frames = []
    while len(buffer) >= HEAD.size:
        kind, length = HEAD.unpack_from(buffer)
        end = HEAD.size + length
        if len(buffer) < end:
            break
        frames.append((kind, bytes(buffer[HEAD.size : end])))
        del buffer[:end]
    return frames
