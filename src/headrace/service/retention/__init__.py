"""Retention: policies, preview, run."""

from headrace.service.retention.service import Retention

__all__ = ["Retention"]
