"""The lines of one run: masked, cut, numbered without a gap, and not without end."""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from headrace.model.log.line import LOG, LogLine, clean_fields, clean_message
from headrace.model.secret.fields import mask_fields
from headrace.model.secret.masking import Masker

NOTHING_SECRET = Masker(())
LONGEST_FIELDS = 16_384
FIELDS_LEFT_OUT = '{"left_out": "the fields were too long"}'


@dataclass(frozen=True, slots=True)
class LogLimits:
    """How much a run may say; beyond it only the last words are kept."""

    lines: int = 10_000
    size: int = 4 * 1024 * 1024
    tail: int = 8_192


class RunLog:
    """Takes lines from any thread; its only reader takes them away in batches."""

    def __init__(
        self,
        job_id: UUID,
        run: int,
        *,
        clock: Callable[[], datetime],
        limits: LogLimits,
        masker: Masker = NOTHING_SECRET,
        on_line: Callable[[RunLog], None] = lambda _log: None,
    ) -> None:
        self.job_id, self.run = job_id, run
        self.masker = masker
        self._clock = clock
        self._limits = limits
        self._on_line = on_line
        self._lock = threading.Lock()
        self._waiting: deque[LogLine] = deque()
        self._seq = 0
        self._size = 0
        self._at: datetime | None = None
        self._tail: deque[tuple[int, int, str]] = deque()
        self._tail_size = 0
        self._left_out = 0
        self._closed = False

    def write(
        self,
        message: str,
        *,
        level: int = logging.INFO,
        stream: int = LOG,
        fields: Mapping[str, Any] | None = None,
        masked: bool = False,
    ) -> None:
        """One line; says nothing more once the run has ended."""
        text = clean_message(message if masked else self.masker.mask_text(message))
        said = self._fields(fields) if fields else None
        with self._lock:
            if self._closed:
                return
            self._size += len(text) + len(said or "")
            if self._seq >= self._limits.lines or self._size > self._limits.size:
                self._keep_last(level, stream, text)
                return
            self._append(level, stream, text, said)
        self._on_line(self)

    def take(self, most: int) -> list[LogLine]:
        """The oldest lines that nobody took yet."""
        with self._lock:
            return [self._waiting.popleft() for _ in range(min(most, len(self._waiting)))]

    def put_back(self, lines: list[LogLine]) -> None:
        """Lines that could not be stored, to be taken again."""
        with self._lock:
            self._waiting.extendleft(reversed(lines))

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether only the last words are still kept."""
        return self._left_out > 0

    @property
    def is_closed(self) -> bool:
        """Whether the run has ended: nothing more is kept."""
        return self._closed

    def close(self) -> None:
        """No more lines; if some were left out, say how many and what the last ones were."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._left_out:
                gone = self._left_out - len(self._tail)
                self._append(logging.WARNING, LOG, f"… {gone:,} lines left out: too many in one attempt", None)
                for level, stream, text in self._tail:
                    self._append(level, stream, text, None)
        if self._left_out:
            self._on_line(self)

    def _append(self, level: int, stream: int, text: str, fields: str | None) -> None:
        now = self._clock()
        # Lines are shown by time: a clock that was set right must not turn them around.
        self._at = now if self._at is None or now > self._at else self._at
        self._seq += 1
        self._waiting.append(LogLine(self.job_id, self.run, self._seq, self._at, level, stream, text, fields))

    def _keep_last(self, level: int, stream: int, text: str) -> None:
        self._left_out += 1
        self._tail.append((level, stream, text))
        self._tail_size += len(text)
        while self._tail_size > self._limits.tail and len(self._tail) > 1:
            self._tail_size -= len(self._tail.popleft()[2])

    def _fields(self, fields: Mapping[str, Any]) -> str:
        try:
            text = json.dumps(mask_fields(dict(fields)), default=str, ensure_ascii=False, allow_nan=False)
        except Exception as error:  # what it was given may raise anything
            text = json.dumps({"unreadable": type(error).__name__})
        text = clean_fields(self.masker.mask_text(text)) or "{}"
        return text if len(text) <= LONGEST_FIELDS else FIELDS_LEFT_OUT
