"""The handlers that an application has declared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.define.handler import Handler
from headrace.define.signature import BadHandler
from headrace.model.text import to_json


class Registry:
    """Handlers by key."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return self._handlers

    def add(self, handler: Handler) -> None:
        """Refuses a second function under the same key."""
        other = self._handlers.get(handler.key)
        if other is not None and other.function.__qualname__ != handler.function.__qualname__:
            raise BadHandler(
                f"two functions declare the key {handler.key!r}: {other.function.__qualname__} and "
                f"{handler.function.__qualname__}. Give one of them another key."
            )
        self._handlers[handler.key] = handler

    def payload(self, key: str, arguments: Mapping[str, Any]) -> str:
        """The payload as JSON text, validated where the definition is this application's own."""
        handler = self._handlers.get(key)
        return handler.arguments.to_json(arguments) if handler else to_json(dict(arguments))
