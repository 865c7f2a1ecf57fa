"""Times in requests, and lengths of time in their place."""

from __future__ import annotations

from datetime import datetime, timedelta

from headrace.errors import BadRequest


def time_or_length(verb: str, at: datetime | None, seconds: float | None) -> datetime | timedelta | None:
    """What `<verb>_at` or `<verb>_after_seconds` of a request says, of which only one may be given."""
    if at is not None and seconds is not None:
        field = f"{verb}_after_seconds"
        raise BadRequest(f"{verb}_at and {field} exclude each other", field=field)
    return at if seconds is None else timedelta(seconds=seconds)
