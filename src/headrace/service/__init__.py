"""The only door for people and programs: authorise, one transaction, audit."""

from headrace.service.principal import SYSTEM, Principal, Role
from headrace.service.service import Service

__all__ = ["SYSTEM", "Principal", "Role", "Service"]
