"""What a command is started with, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CommandLimits:
    """What each process of a command may use.

    `max_processes` counts all processes of the command's user; where that is root, those of the attempt.
    """

    memory_mb: int | None = None
    cpu_seconds: int | None = None
    file_size_mb: int | None = None
    open_files: int | None = None
    max_processes: int | None = None


NO_LIMITS = CommandLimits()


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of a command.

    The environment is given whole, but for `HOME`, `TMPDIR` and `HEADRACE_RESULT`: these point into the scratch
    directory, which is made for the attempt and is where the command starts.
    """

    argv: Sequence[bytes]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes | None = None
    merge_stderr: bool = False
    timeout: float | None = None
    kill_grace: float = 5.0
    limits: CommandLimits = NO_LIMITS
    user: str | None = None
    result_file: bool = False


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended; by itself unless it timed out, stood still or was stopped.

    CPU and memory are those of the whole tree, the peak that of its largest process. A result of more than a million
    bytes was longer and is cut there. Exit code and signal are both missing where it could not be executed, or not be
    killed.
    """

    pid: int
    exit_code: int | None
    signal: int | None
    timed_out: bool
    stopped: bool
    duration: float
    cpu_seconds: float
    peak_memory_bytes: int
    leftovers: int
    unkillable: tuple[int, ...]
    cannot_execute: str | None
    stood_still: bool
    result: bytes | None
