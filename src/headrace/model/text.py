"""Text that PostgreSQL can store, whatever bytes it was made of."""

from __future__ import annotations

import json
import re
from typing import Any

from headrace.errors import BadRequest
from headrace.model.payload.json_bounds import DEEPEST, LONGEST_NUMBER, TOO_DEEP
from headrace.model.payload.json_storage import check_bounds, has_long_digits, is_too_deep

MAX_RESULT = 1_000_000

# An escaped NUL, and not the text of one: an even number of backslashes stands before it.
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def clean(text: str, limit: int) -> str:
    """The text with NUL and lone surrogates made visible, cut in the middle when it is too long."""
    safe = text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode()
    if len(safe) <= limit:
        return safe
    cut = len(safe) - limit
    half = limit // 2
    return f"{safe[:half]}\n… {cut} characters left out …\n{safe[-half:]}"


class NotJsonError(ValueError):
    """The value cannot be kept as JSON."""


def to_json(value: Any, limit: int = MAX_RESULT) -> str:
    """The value as JSON text that jsonb accepts, or `NotJsonError` saying why not."""
    try:
        text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
        raw = text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJsonError(f"{type(value).__name__} value is not JSON: {error}") from None
    if "\\u0000" in text and _NUL.search(text):
        raise NotJsonError("text with a NUL character cannot be kept as JSON")
    if len(text) > limit:
        raise NotJsonError(f"the JSON text has {len(text):,} characters (at most {limit:,})")
    # Neither can be in a short text, as nearly all are.
    if len(text) > DEEPEST * 2 and is_too_deep(value):
        raise NotJsonError(TOO_DEEP)
    if len(text) > LONGEST_NUMBER and has_long_digits(raw):
        try:
            check_bounds(raw)
        except BadRequest as error:
            raise NotJsonError(str(error)) from None
    return text
