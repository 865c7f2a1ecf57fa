"""Failures: the newest errors, grouped by what they have in common."""

from headrace.service.failures.service import Errors

__all__ = ["Errors"]
