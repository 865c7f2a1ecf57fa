"""What every group of verbs shares."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from headrace.service.principal import Principal
from headrace.service.session import Act, House, enter


class Verbs:
    """Verbs of one noun, for one principal."""

    def __init__(self, house: House, principal: Principal) -> None:
        self._house = house
        self._principal = principal

    def _enter(self, verb: str, tenant: str | None = None) -> AbstractAsyncContextManager[Act]:
        return enter(self._house, self._principal, verb, tenant=tenant)


class ServerVerbs(Verbs):
    """Verbs about what is no tenant's. A super-admin at work for one tenant does these for all: it was a choice."""

    def __init__(self, house: House, principal: Principal) -> None:
        whole = principal.role == "super_admin" and principal.tenant is not None
        super().__init__(house, replace(principal, tenant=None, tenant_id=None) if whole else principal)
