"""Audit: list what was changed, and by whom."""

from headrace.service.audit.service import Audit

__all__ = ["Audit"]
