"""How the process's own log looks: readable in a terminal, JSON elsewhere."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog


def set_up_logs(*, readable: bool | None = None, verbose: bool = False) -> None:
    """Lines on stderr; `readable` says whether for people, a terminal decides when it is not given."""
    colours = sys.stderr.isatty()
    for_people = colours if readable is None else readable
    shared: list[Any] = [structlog.contextvars.merge_contextvars, structlog.processors.add_log_level]
    if for_people:
        shared += [
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.dev.ConsoleRenderer(colors=colours, pad_event_to=30),
        ]
    else:
        shared += [
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks,
            structlog.processors.JSONRenderer(),
        ]
    structlog.configure(
        processors=shared,
        wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG if verbose else logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=True,
    )
