"""A line that a job printed or logged, and what must be done to any text before it can be one."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from headrace.model.text import to_json

LOG, STDOUT, STDERR, NOTICE = range(4)
STREAMS = {LOG: "log", STDOUT: "stdout", STDERR: "stderr", NOTICE: "notice"}

MAX_BYTES = 16 * 1024
LOWEST_LEVEL, HIGHEST_LEVEL = 0, 100
CUT = "…"


class LogLine(NamedTuple):
    """One line. `seq` is counted from 1 by the run's only writer, so that a reader sees a hole."""

    job_id: UUID
    run: int
    seq: int
    at: datetime
    level: int
    stream: int
    message: str
    fields: str | None = None


def clean_message(text: str) -> str:
    """The text with NUL and lone surrogates made visible, and no longer than a line may be."""
    if len(text) <= MAX_BYTES // 4 and text.isprintable():
        # Nearly every line. What is printable has neither a NUL nor a surrogate.
        return text
    raw = text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace")
    if len(raw) > MAX_BYTES:
        return raw[: MAX_BYTES - len(CUT.encode())].decode("utf-8", "ignore") + CUT
    return raw.decode()


def clean_fields(text: str | None) -> str | None:
    """The JSON text as it is where PostgreSQL takes it as jsonb, else as a JSON string within an object."""
    if text is None:
        return None
    try:
        to_json(json.loads(text, parse_constant=_refuse, parse_float=_within_reason))
    except (ValueError, RecursionError):
        return json.dumps({"unreadable": clean_message(text)})
    return text


def storable(line: LogLine) -> LogLine:
    """The line with a message and a level that can be stored, whatever they were."""
    message, level = clean_message(line.message), min(max(line.level, LOWEST_LEVEL), HIGHEST_LEVEL)
    if message is line.message and level == line.level:
        return line
    return line._replace(message=message, level=level)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _within_reason(number: str) -> str:
    """A number such as 1e999999 is valid JSON, and more than a numeric can hold."""
    if abs(float(number)) == float("inf"):
        raise ValueError(f"{number} is too large")
    return number
