"""Failures: the newest errors, grouped by what they have in common."""

from headrace.service.failures.service import Failures

__all__ = ["Failures"]
