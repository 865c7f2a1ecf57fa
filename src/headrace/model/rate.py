"""How often jobs may start, as people write it: 10/s, 100/5m."""

from __future__ import annotations

import re

RATE = re.compile(r"(?P<n>[0-9]+)\s*/\s*(?P<count>[0-9]*\.?[0-9]*)\s*(?P<unit>ms|s|m|h|d)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_rate(text: str) -> tuple[int, float]:
    """How many in how many seconds: "10/s", "100/5m"."""
    found = RATE.fullmatch(text.strip())
    if found is None or int(found["n"]) == 0 or found["count"] == "." or float(found["count"] or 1) == 0:
        raise ValueError(f"a rate is a number and a period, for example 10/s, 100/5m or 1000/d, not {text!r}")
    return int(found["n"]), float(found["count"] or 1) * UNITS[found["unit"]]


def rate_text(limit: int, seconds: float) -> str:
    """The same for people: 10/s, 100/5m."""
    unit = next(name for name in ("d", "h", "m", "s", "ms") if seconds % UNITS[name] == 0 or name == "ms")
    count = seconds / UNITS[unit]
    return f"{limit}/{'' if count == 1 else f'{count:g}'}{unit}"
