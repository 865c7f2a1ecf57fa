"""How the process's log looks: readable in a terminal, JSON elsewhere."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

import structlog

from headrace.capture import without_secrets
from headrace.cli.output.tables import as_json, clean, clean_lines
from headrace.config import LogsSettings
from headrace.log import context_fields

_handler = logging.StreamHandler()


def set_up_logs(*, readable: bool | None = None, verbose: bool = False) -> None:
    """Lines on stderr; `readable` says whether for people, a terminal decides when it is not given."""
    _handler.setStream(sys.stderr)
    _show(sys.stderr.isatty() if readable is None else readable)
    logging.basicConfig(level=logging.DEBUG if verbose else logging.INFO, handlers=[_handler], force=True)
    for chatty in ("asyncio", "httpx", "httpcore"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def obey_log_settings(settings: LogsSettings, *, verbose: bool = False) -> None:
    """As the settings have it, which are known later; whoever asked to hear more hears more."""
    if settings.format != "auto":
        _show(settings.format == "text")
    if not verbose:
        logging.getLogger().setLevel(settings.level.upper())


def _show(for_people: bool) -> None:
    _handler.setFormatter(ForPeople(colours=sys.stderr.isatty()) if for_people else ForPrograms())


class ForPeople(logging.Formatter):
    """Time, level, text and fields, in colour where the terminal has it."""

    def __init__(self, *, colours: bool) -> None:
        super().__init__()
        # It gets exceptions as text: its own traceback shows the variables of every frame, which may be secret, and so
        # large that to draw them takes minutes, on the loop.
        self._render = structlog.dev.ConsoleRenderer(colors=colours, pad_event_to=28)

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        text, fields = _parts(record)
        shown = {clean(name).replace("\n", "\\n"): _in_line(value) for name, value in fields.items()}
        said = {"timestamp": time, "level": record.levelname.lower(), "event": clean_lines(text), **shown}
        if record.exc_info:
            said["exception"] = clean_lines("".join(traceback.format_exception(*record.exc_info)).rstrip("\n"))
        elif record.exc_text:  # of one that was masked
            said["exception"] = clean_lines(record.exc_text)
        return without_secrets(str(self._render(None, record.levelname, said)))


class ForPrograms(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        text, fields = _parts(record)
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": text,
            **fields,
        }
        if record.exc_info:
            said["exception"] = "".join(traceback.format_exception(*record.exc_info))
        elif record.exc_text:
            said["exception"] = record.exc_text
        return without_secrets(as_json(said, default=str))


def _in_line(value: Any) -> Any:
    """A field's value, of which strangers may have said something, on one line; numbers as they are."""
    if isinstance(value, int | float | None):
        return value
    return clean(value if isinstance(value, str) else repr(value)).replace("\n", "\\n")


def _parts(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    """Our own lines come in parts; others are their message."""
    parts: tuple[str, dict[str, Any]] | None = getattr(record, "headrace", None)
    return parts if parts is not None else (record.getMessage(), context_fields())
