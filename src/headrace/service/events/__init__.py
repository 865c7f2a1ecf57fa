"""Events: emit, list, read."""

from headrace.service.events.service import Events

__all__ = ["Events"]
