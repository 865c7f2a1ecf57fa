"""Our own log lines: structured, and through `logging`, so that the application decides what becomes of them."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any, Protocol

from headrace.model.secret.fields import mask_fields
from headrace.model.secret.masking import Masker

# Of a record that a job's own logger has written down already.
TAKEN = "headrace_taken"
LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "exception": logging.ERROR,
    "critical": logging.CRITICAL,
    "fatal": logging.CRITICAL,
}


# Each says what is known of whoever writes a line, and is asked when one is written: nobody pays who says nothing.
_SOURCES: list[Callable[[], Mapping[str, Any]]] = []


def add_context_provider(source: Callable[[], Mapping[str, Any]]) -> None:
    """Let every line have what this source knows at that moment."""
    if source not in _SOURCES:
        _SOURCES.append(source)


def context_fields() -> dict[str, Any]:
    """What every line that is written here and now has: of its job, worker, request and trace."""
    import structlog

    known: dict[str, Any] = dict(structlog.contextvars.get_contextvars())
    for source in _SOURCES:
        known.update(source())
    return known


def _add_known(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """What the line says itself has the last word."""
    for key, value in context_fields().items():
        event.setdefault(key, value)
    return event


def get_logger(name: str) -> Any:
    """A structlog logger whose lines go to `logging`: silent unless the application or our command line listens."""
    return _Later(name)


class _Later:
    """A logger that is made for its first line: many a process has none to write, and structlog takes long to load."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, method: str) -> Any:
        import structlog

        logger = structlog.wrap_logger(
            logging.getLogger(self._name),
            wrapper_class=structlog.stdlib.BoundLogger,
            processors=[structlog.stdlib.filter_by_level, _add_known, _to_standard_library],
        )
        found = getattr(logger, method)
        setattr(self, method, found)
        return found


class Lines(Protocol):
    """Where a job's lines are kept."""

    masker: Masker

    def write(self, message: str, *, level: int, fields: Mapping[str, Any]) -> None: ...


def get_job_logger(lines: Callable[[], Lines | None], about: Mapping[str, Any]) -> Any:
    """A logger for a handler: each line is kept with its job, whatever `logging` is set to, and then goes there too."""
    import structlog

    def keep(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        kept = lines()
        if kept is not None:
            fields = {key: value for key, value in event.items() if key not in ("event", "exc_info", "stack_info")}
            text = str(event.get("event", ""))
            if event.get("exc_info"):
                text = f"{text}\n{traceback.format_exc()}"
            kept.write(text, level=LEVELS.get(method, logging.INFO), fields=fields)
            event.update(mask_fields(fields))
            if kept.masker:  # what goes on to `logging` is seen as well, in words alone
                event.pop("exc_info", None)
                event["event"] = kept.masker.mask_text(text)
                event.update({key: kept.masker.mask_text(str(value)) for key, value in mask_fields(fields).items()})
        event.update({key: value for key, value in about.items() if key not in event})
        return event

    return structlog.wrap_logger(
        logging.getLogger("headrace.job"),
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[keep, structlog.stdlib.filter_by_level, _add_known, _taken],
    )


def _taken(logger: Any, method: str, event: MutableMapping[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    """As any line of ours, marked so that it is not kept a second time on its way through `logging`."""
    words, how = _to_standard_library(logger, method, event)
    how["extra"][TAKEN] = True
    return words, how


def _to_standard_library(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> tuple[tuple[str], dict[str, Any]]:
    """Readable as it is for any handler; with the parts beside it for those who look."""
    text = str(event.pop("event", ""))
    how = {key: event.pop(key) for key in ("exc_info", "stack_info") if key in event}
    fields = dict(event)
    message = " ".join([text, *(f"{key}={value}" for key, value in fields.items())])
    return (message,), {**how, "extra": {"headrace": (text, fields)}}
