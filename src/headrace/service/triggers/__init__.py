"""Triggers: make, change, fire, look."""

from headrace.service.triggers.triggers import Triggers

__all__ = ["Triggers"]
