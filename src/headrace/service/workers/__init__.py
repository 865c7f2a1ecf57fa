"""Workers: list, read, drain."""

from headrace.service.workers.service import Workers

__all__ = ["Workers"]
