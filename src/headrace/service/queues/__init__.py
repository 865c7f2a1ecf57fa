"""Queues: list, read, change, pause."""

from headrace.service.queues.service import Queues

__all__ = ["Queues"]
