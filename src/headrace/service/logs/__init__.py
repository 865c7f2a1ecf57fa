"""Log lines: read, follow, search."""

from headrace.service.logs.service import Logs

__all__ = ["Logs"]
