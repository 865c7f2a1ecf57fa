"""Tenants: create, list, change, pause."""

from headrace.service.tenants.service import Tenants

__all__ = ["Tenants"]
