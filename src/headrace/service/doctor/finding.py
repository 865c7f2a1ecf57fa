"""What an examination finds."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["ok", "warn", "fail"]


class Finding(NamedTuple):
    """One thing that was looked at; `do` is what to do about it."""

    name: str
    state: State
    said: str
    do: str | None = None


def ok(name: str, said: str) -> Finding:
    """As it should be."""
    return Finding(name, "ok", said)


def warn(name: str, said: str, do: str) -> Finding:
    """Not as it should be, and jobs still run."""
    return Finding(name, "warn", said, do)


def fail(name: str, said: str, do: str) -> Finding:
    """Something does not work, or is about to stop."""
    return Finding(name, "fail", said, do)
