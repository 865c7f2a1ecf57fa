"""How an attempt to send went."""

from __future__ import annotations

from typing import NamedTuple

from headrace.errors import HeadraceError


class Sent(NamedTuple):
    """It arrived; `what` says so in a few words."""

    what: str
    status_code: int | None = None


class NotSent(HeadraceError):
    """The notice could not be sent."""

    code, status = "not_sent", 502

    def __init__(self, message: str, *, status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code
