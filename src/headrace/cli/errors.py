"""Errors for people: one line on stderr, and an exit code that scripts can trust."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import BadRequest, ConfigError, DatabaseUnusable, HeadraceError, NotFound

# 0 done, 1 failed, 2 bad usage, 3 not found, 4 not allowed, 5 cannot connect
EXIT_CODES: list[tuple[type[HeadraceError], int]] = [
    (ConfigError, 2),
    (BadRequest, 2),
    (NotFound, 3),
    (DatabaseUnusable, 5),
]


@contextmanager
def plain_errors() -> Iterator[None]:
    """No traceback for what a person can act on."""
    try:
        yield
    except HeadraceError as error:
        for line in str(error).splitlines():
            print(f"headrace: {line}", file=sys.stderr)  # noqa: T201
        code = next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)
        raise SystemExit(code) from None
