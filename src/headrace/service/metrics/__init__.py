"""Metrics: the counters behind `/metrics`."""

from headrace.service.metrics.service import Metrics, Scrapes

__all__ = ["Metrics", "Scrapes"]
