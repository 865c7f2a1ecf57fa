"""Many unknown fields are one error: to build an error for each would hold the server."""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Any

from pydantic_core import PydanticCustomError

# As many beyond the known ones are refused one by one, each with its name.
FEW = 20
SHOWN = 5
LONGEST_NAME = 50


def refuse_many_unknown(given: Any, known: Collection[str]) -> Any:
    """What was given, unless most of its fields can only be unknown. It only counts: each log line comes this way."""
    if not isinstance(given, dict) or len(given) <= len(known) + FEW:
        return given
    shown = islice((str(name)[:LONGEST_NAME] for name in given if name not in known), SHOWN)
    more = len(given) - sum(name in given for name in known) - SHOWN
    raise PydanticCustomError(
        "unknown_fields", "unknown fields: {shown} and {more} more", {"shown": ", ".join(shown), "more": f"{more:,}"}
    )
