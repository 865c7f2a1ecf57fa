"""A figure and what is wanted of it, and how much of everything there is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """One measured figure, and what is wanted of it."""

    name: str
    value: float
    unit: str
    wanted: str = ""
    holds: bool | None = None


@dataclass(frozen=True)
class Scale:
    """How much of everything; `quick` is for trying the bench itself."""

    drain: int = 100_000
    million: int = 1_000_000
    lines: int = 3_000_000
    snapshot: int = 150_000
    clients: int = 4_000
    triggers: int = 10_000
    events: int = 40_000
    minutes: float = 10


QUICK = Scale(
    drain=20_000, million=50_000, lines=150_000, snapshot=30_000, clients=800, triggers=1_000, events=5_000, minutes=0.5
)


def at_least(name: str, value: float, unit: str, bound: float) -> Line:
    """A figure that must not be lower."""
    return Line(name, value, unit, f"≥ {bound:g}", value >= bound)


def at_most(name: str, value: float, unit: str, bound: float) -> Line:
    """A figure that must not be higher."""
    return Line(name, value, unit, f"≤ {bound:g}", value <= bound)
