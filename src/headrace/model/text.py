"""Text that PostgreSQL can store, whatever bytes it was made of."""

from __future__ import annotations

import json
import re
from typing import Any

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
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJsonError(f"{type(value).__name__} value is not JSON: {error}") from None
    if "\\u0000" in text and _NUL.search(text):
        raise NotJsonError("text with a NUL character cannot be kept as JSON")
    if len(text) > limit:
        raise NotJsonError(f"the JSON text has {len(text):,} characters (at most {limit:,})")
    return text
