"""Our own log lines: structured, and through `logging`, so that the application decides what becomes of them."""

from __future__ import annotations

import logging
from collections.abc import MutableMapping
from typing import Any

import structlog


def get_logger(name: str) -> Any:
    """A structlog logger whose lines go to `logging`: silent unless the application or our command line listens."""
    return structlog.wrap_logger(
        logging.getLogger(name),
        wrapper_class=structlog.stdlib.BoundLogger,
        processors=[structlog.stdlib.filter_by_level, structlog.contextvars.merge_contextvars, _to_standard_library],
        cache_logger_on_first_use=True,
    )


def _to_standard_library(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> tuple[tuple[str], dict[str, Any]]:
    """Readable as it is for any handler; with the parts beside it for those who look."""
    text = str(event.pop("event", ""))
    how = {key: event.pop(key) for key in ("exc_info", "stack_info") if key in event}
    fields = dict(event)
    message = " ".join([text, *(f"{key}={value}" for key, value in fields.items())])
    # Percent signs in what jobs say are not formats.
    return (message.replace("%", "%%"),), {**how, "extra": {"headrace": (text, fields)}}
