"""Health: whether this process can serve."""

from headrace.service.health.service import Health

__all__ = ["Health"]
