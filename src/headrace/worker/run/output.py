"""What a process of a run prints: lines of its job, progress, and last words."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from headrace.context import Context
from headrace.model.log.line import STDERR, STDOUT
from headrace.model.log.output_lines import OutputLines
from headrace.model.log.run_log import NOTHING_SECRET, RunLog

TAIL = 4096
# Beyond its cap a flood is read on at 16 MB/s: enough that a process is never stuck, little enough for the loop.
DRAIN_RATE = 16_000_000.0
STREAMS = {"stdout": STDOUT, "stderr": STDERR}

_PROGRESS = re.compile(r"::progress\s+([0-9]+\.?[0-9]*|\.[0-9]+)(?:\s+(.*))?")


@dataclass(slots=True)
class _Stream:
    number: int
    lines: OutputLines
    tail: deque[str] = field(default_factory=deque)
    tail_size: int = 0
    last: str = ""

    def keep(self, line: str) -> None:
        """Remember the last words."""
        if line.strip():
            self.last = line
        self.tail.append(line)
        self.tail_size += len(line) + 1
        while self.tail_size > TAIL and len(self.tail) > 1:
            self.tail_size -= len(self.tail.popleft()) + 1


class RunOutput:
    """What one attempt prints."""

    def __init__(self, context: Context, *, progress: bool = False) -> None:
        self._lines: RunLog | None = context.lines()
        masker = NOTHING_SECRET if self._lines is None else self._lines.masker
        self._context = context
        self._progress = progress
        self._streams = {name: _Stream(number, OutputLines(masker)) for name, number in STREAMS.items()}

    def feed(self, name: str, data: bytes) -> float | None:
        """Bytes as they come; gives back for how long to read no more of them."""
        stream = self._streams[name]
        for line in stream.lines.feed(data):
            self._line(stream, line)
        return len(data) / DRAIN_RATE if self._lines is not None and self._lines.is_full else None

    def end(self) -> None:
        """No more comes."""
        for stream in self._streams.values():
            for line in stream.lines.end():
                self._line(stream, line)

    def _line(self, stream: _Stream, line: str) -> None:
        progress = _PROGRESS.fullmatch(line) if self._progress and stream.number == STDOUT else None
        if progress is not None and float(progress[1]) <= 1:
            self._context.progress(float(progress[1]), progress[2])
            return
        stream.keep(line)
        if self._lines is not None:
            self._lines.write(line, stream=stream.number, masked=True)

    @property
    def last_line(self) -> str:
        return self._streams["stdout"].last

    def tails(self) -> dict[str, str]:
        """The last words of each stream."""
        return {f"{name}_tail": "\n".join(stream.tail) for name, stream in self._streams.items() if stream.tail}
