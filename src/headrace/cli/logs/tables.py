"""Lines of jobs on a terminal: their colours where they belong, and nothing else that a terminal would obey."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from headrace.cli.core.call import Call
from headrace.cli.output.tables import as_json, clean
from headrace.errors import BadRequest

LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40, "critical": 50}
PAINT = {10: "2", 30: "33", 40: "31", 50: "1;31"}
SGR = re.compile(r"(\x1b\[[0-9;:]*m)")
# Sequences that move, clear, rename or ask; what is left of others is written out by `clean`.
SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
RESET = "\x1b[0m"


class Lines:
    """Writes lines: for people with time and level, for programs as JSON."""

    def __init__(self, call: Call, *, colours: bool = True) -> None:
        self._call = call
        self._colours = colours and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self._any = False

    def say(self, line: Mapping[str, Any], about: str = "") -> None:
        """One line; `about` says whose it is where that is not clear."""
        self._any = True
        if self._call.as_json:
            self._call.show.json_line(line)
            return
        at = datetime.fromisoformat(line["at"]).astimezone(UTC)
        day = "" if at.date() == datetime.now(UTC).date() else f"{at:%Y-%m-%d} "
        fields = f"  {_fields(line['fields'])}" if line.get("fields") else ""
        # What follows a line break is moved in, so that no line can pass for another.
        message = plain(line["message"].rstrip("\n") + fields, colours=self._colours).replace("\n", "\n    ")
        whose = f"{clean(about)}  " if about else ""
        sys.stdout.write(f"{day}{at:%H:%M:%S} {self._level(line['level'])} {whose}{message}\n")
        sys.stdout.flush()

    def end(self, empty: str) -> None:
        """Say so when there was nothing."""
        if not self._any:
            self._call.show.note(empty)

    def _level(self, level: int) -> str:
        word = f"{level_word(level):<8}"
        return f"\x1b[{PAINT[level]}m{word}{RESET}" if self._colours and level in PAINT else word


def plain(text: str, *, colours: bool) -> str:
    """What a job said, with its colours or without, and with nothing else that a terminal would obey."""
    parts = SGR.split(text)
    kept = [part if n % 2 else clean(SEQUENCE.sub("", part)) for n, part in enumerate(parts)]
    return "".join(kept) + (RESET if len(parts) > 1 else "") if colours else "".join(kept[::2])


def level_number(said: str | None) -> int | None:
    """A level by its word or number, or `BadRequest`."""
    if said is None:
        return None
    if said.lower() in LEVELS:
        return LEVELS[said.lower()]
    if said.isdigit() and int(said) <= 100:
        return int(said)
    raise BadRequest(f"--level is one of {', '.join(LEVELS)} or a number up to 100, not {said!r}")


def level_word(level: int) -> str:
    """Its word, or its number."""
    return next((word for word, number in LEVELS.items() if number == level), str(level))


def _fields(fields: Any) -> str:
    if not isinstance(fields, Mapping):
        return as_json(fields)
    return " ".join(f"{key}={value if isinstance(value, str) else as_json(value)}" for key, value in fields.items())
