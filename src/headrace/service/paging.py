"""Where a page ended, as text that only we read."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from headrace.errors import BadRequest

LARGEST_PAGE = 500


def write_cursor(*parts: str | datetime | UUID) -> str:
    """The parts in one word, fit for an address."""
    texts = [part.isoformat() if isinstance(part, datetime) else str(part) for part in parts]
    return base64.urlsafe_b64encode(json.dumps(texts).encode()).decode().rstrip("=")


def read_cursor(text: str, *kinds: Callable[[str], Any]) -> Sequence[Any]:
    """The parts again, or `BadRequest`."""
    try:
        parts = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        if not isinstance(parts, list) or not all(isinstance(part, str) and "\0" not in part for part in parts):
            raise _strange()
        return [kind(part) for kind, part in zip(kinds, parts, strict=True)]
    except (ValueError, OverflowError, RecursionError):
        raise _strange() from None


def moment(text: str) -> datetime:
    """A time with its zone, as cursors have them."""
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return time.astimezone(UTC)


def check_limit(limit: int, most: int = LARGEST_PAGE) -> int:
    """The size of a page, or `BadRequest`."""
    if not 1 <= limit <= most:
        raise BadRequest(f"limit is 1 to {most}, not {limit}", field="limit")
    return limit


def _strange() -> BadRequest:
    return BadRequest("the cursor does not come from a list", field="cursor")
