"""What is asked and answered about log lines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BeforeValidator, Field

from headrace.api.schemas import ResponseModel
from headrace.model.log.line import STREAMS, LogLine
from headrace.model.payload.stored_json import read_json

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
Stream = Literal["log", "stdout", "stderr", "notice"]
STREAM_NUMBERS: Mapping[str, int] = {name: number for number, name in STREAMS.items()}


def _number(level: object) -> object:
    return LEVELS.get(level.lower(), level) if isinstance(level, str) else level


Level = Annotated[
    int,
    Field(ge=0, le=100),  # before the words: then the description of the API has the bounds too
    BeforeValidator(_number),
    Field(description="the minimum level: a number, or debug, info, warning, error"),
]


class LineAnswer(ResponseModel):
    """A log line of a job."""

    run: int
    seq: int
    at: datetime
    level: int
    stream: Stream
    message: str
    fields: Any = None


class HitAnswer(LineAnswer):
    """A line that matches, with its tenant and definition."""

    job_id: UUID
    tenant: str
    definition: str


def line_fields(line: LogLine) -> dict[str, Any]:
    """What an answer says of a line."""
    return {
        "run": line.run,
        "seq": line.seq,
        "at": line.at,
        "level": line.level,
        "stream": STREAMS[line.stream],
        "message": line.message,
        "fields": None if line.fields is None else read_json(line.fields),
    }


def line_text(line: LogLine) -> str:
    """A line as a file has it: time, level, text, and what was said beside it."""
    at = line.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    beside = f" {line.fields}" if line.fields is not None else ""
    return f"{at} {level_name(line.level):<8} {line.message}{beside}\n"


def level_name(level: int) -> str:
    """The word for a level, or its number."""
    return next((name.upper() for name, number in LEVELS.items() if number == level), str(level))
