"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self
from uuid import UUID

Role = Literal["super_admin", "tenant_admin", "tenant_viewer", "worker", "metrics"]
ROLES: tuple[Role, ...] = ("super_admin", "tenant_admin", "tenant_viewer", "worker", "metrics")


@dataclass(frozen=True, slots=True)
class Principal:
    """A person or a program, by a token or by the host application's word.

    With a tenant it sees and changes that tenant's alone, a super-admin too: then it is a choice.
    """

    name: str
    role: Role
    tenant: str | None = None
    tenant_id: int | None = None
    queues: tuple[str, ...] = ("*",)
    token_id: UUID | None = None
    # The hash of the token or the session that it came with.
    credential: bytes | None = None

    def of_tenant(self, name: str, tenant_id: int) -> Self:
        """The same, at work for one tenant."""
        return replace(self, tenant=name, tenant_id=tenant_id)


# The application itself, which has the database anyway.
SYSTEM = Principal("system", "super_admin")
