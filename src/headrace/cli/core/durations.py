"""Lengths of time and moments as people write them: 30s, 5m, 2h, 1d; 2026-01-31T12:00Z; now."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from headrace.errors import BadRequest

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])")
WHOLE = re.compile(rf"(?:{PART.pattern})+")
LONGEST = 100 * 366 * 86_400.0


def duration(text: str, option: str) -> float:
    """Seconds that a text says: 30s, 5m, 1h30m, 2d; a number alone is seconds. Or `BadRequest` naming the option."""
    said = text.strip().lower().replace(" ", "")
    if re.fullmatch(r"\d+(\.\d+)?", said):
        seconds = float(said)
    elif WHOLE.fullmatch(said):
        seconds = sum(float(number) * UNITS[unit] for number, unit in PART.findall(said))
    else:
        raise BadRequest(f"{option} is a length of time like 30s, 5m, 2h or 1d, not {text!r}")
    if seconds > LONGEST:
        raise BadRequest(f"{option} is too long: at most 100 years")
    return seconds


def moment(text: str, option: str) -> str:
    """A time in ISO 8601, in UTC unless it says otherwise; or `now`. Or `BadRequest` naming the option."""
    return _written(_moment(text, option, "a time like 2026-01-31T12:00Z"))


def ahead(text: str | None, verb: str, option: str) -> dict[str, object]:
    """The field of a request that says when: `<verb>_at` for a time, `<verb>_after_seconds` for a length of time."""
    if text is None:
        return {}
    if text.strip()[-1:].lower() in UNITS:
        return {f"{verb}_after_seconds": duration(text, option)}
    return {f"{verb}_at": moment(text, option)}


def past(text: str, option: str) -> str:
    """The same, or how long ago: 2h is two hours before now."""
    said = text.strip().lower().replace(" ", "")
    if WHOLE.fullmatch(said):
        return _written(datetime.now(UTC) - timedelta(seconds=duration(said, option)))
    return _written(_moment(text, option, "how long ago, like 2h, or a time like 2026-01-31T12:00Z"))


def _moment(text: str, option: str, wanted: str) -> datetime:
    if text.strip().lower() == "now":
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(text.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadRequest(f"{option} is {wanted}, not {text!r}") from None


def _written(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")
