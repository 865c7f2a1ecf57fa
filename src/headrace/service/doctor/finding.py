"""What an examination finds."""

from __future__ import annotations

from typing import Literal, NamedTuple

State = Literal["ok", "warn", "fail"]


class Finding(NamedTuple):
    """One thing that was looked at; `do` is what to do about it."""

    name: str
    state: State
    detail: str
    do: str | None = None


def ok(name: str, detail: str) -> Finding:
    """As it should be."""
    return Finding(name, "ok", detail)


def warn(name: str, detail: str, do: str) -> Finding:
    """Not as it should be, and jobs still run."""
    return Finding(name, "warn", detail, do)


def fail(name: str, detail: str, do: str) -> Finding:
    """Something does not work, or is about to stop."""
    return Finding(name, "fail", detail, do)
