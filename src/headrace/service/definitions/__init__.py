"""Definitions: list, read, change, pause."""

from headrace.service.definitions.service import Definitions

__all__ = ["Definitions"]
