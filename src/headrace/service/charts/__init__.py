"""Charts: what happened over a stretch of time."""

from headrace.service.charts.service import Charts

__all__ = ["Charts"]
