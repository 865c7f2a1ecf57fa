"""Definitions by their keys."""

from __future__ import annotations

import re

from headrace.errors import NotFound

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")


def checked_key(said: str) -> str:
    """The key if it can be one, and so can stand in an address; or `NotFound`."""
    if not KEY.fullmatch(said):
        raise NotFound(f"unknown definition {said!r}: see headrace definitions list")
    return said
