"""Which field an error is about, said by who knows, around who finds it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import HeadraceError


@contextmanager
def field_context(field: str) -> Iterator[None]:
    """Errors from within are about this field, unless they say otherwise."""
    try:
        yield
    except HeadraceError as error:
        error.field = error.field or field
        raise
