"""Triggers: make, change, fire, look."""

from headrace.service.triggers.service import Triggers

__all__ = ["Triggers"]
