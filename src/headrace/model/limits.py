"""How much of a definition may run at once, and how often it may start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

PATH = r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
# A part of JMESPath that PostgreSQL can follow by itself, for jobs are enqueued with SQL alone as well.
KEY = re.compile(rf"\[?\s*{PATH}(?:\s*,\s*{PATH})*\s*\]?")
RATE = re.compile(r"(?P<n>[0-9]+)\s*/\s*(?P<count>[0-9]*\.?[0-9]*)\s*(?P<unit>ms|s|m|h|d)")
UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
MOST = 1_000_000


def read_rate(text: str) -> tuple[int, float]:
    """How many in how many seconds: "10/s", "100/5m"."""
    found = RATE.fullmatch(text.strip())
    if found is None or int(found["n"]) == 0 or found["count"] == "." or float(found["count"] or 1) == 0:
        raise ValueError(f"a rate is a number and a period, such as 10/s, 100/5m or 1000/d, not {text!r}")
    return int(found["n"]), float(found["count"] or 1) * UNITS[found["unit"]]


def rate_text(limit: int, seconds: float) -> str:
    """The same for people: 10/s, 100/5m."""
    unit = next(name for name in ("d", "h", "m", "s", "ms") if seconds % UNITS[name] == 0 or name == "ms")
    count = seconds / UNITS[unit]
    return f"{limit}/{'' if count == 1 else f'{count:g}'}{unit}"


@dataclass(frozen=True, slots=True)
class DefinitionLimits:
    """None is no limit. With a `concurrency_key`, jobs of a tenant whose payloads agree in it count together."""

    max_concurrency: int | None = None
    concurrency_key: str | None = None
    max_concurrency_per_key: int | None = None
    rate_limit: int | None = None
    rate_period_seconds: float = 1.0
    rate_burst: int | None = None
    rate_per_key: bool = False

    @property
    def problems(self) -> list[str]:
        """What is wrong with them."""
        found = []
        for name in ("max_concurrency", "max_concurrency_per_key", "rate_limit", "rate_burst"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= MOST:
                found.append(f"{name} {value} is out of range (1 to {MOST:,})")
        if self.concurrency_key is not None and not KEY.fullmatch(self.concurrency_key):
            found.append(f'concurrency_key {self.concurrency_key!r} is no path such as "provider.id" or "[a, b.c]"')
        if self.concurrency_key is None and (self.max_concurrency_per_key is not None or self.rate_per_key):
            found.append("a limit for each key needs a concurrency_key")
        if self.rate_burst is not None and self.rate_limit is None:
            found.append("rate_burst needs a rate_limit")
        return found


def declared_limits(options: dict[str, Any]) -> DefinitionLimits:
    """Takes what `@hr.job` says of limits out of its options. A key alone means one at a time for each."""
    said = {name: options.pop(name) for name in OPTIONS if options.get(name) is not None}
    for name in OPTIONS:
        options.pop(name, None)
    if isinstance(said.get("rate_limit"), str):
        said["rate_limit"], said["rate_period_seconds"] = read_rate(said["rate_limit"])
    limits = DefinitionLimits(**said)
    if limits.concurrency_key is not None and limits.max_concurrency_per_key is None and not limits.rate_per_key:
        limits = DefinitionLimits(**said, max_concurrency_per_key=1)
    return limits


OPTIONS = ("max_concurrency", "concurrency_key", "max_concurrency_per_key", "rate_limit", "rate_burst", "rate_per_key")
