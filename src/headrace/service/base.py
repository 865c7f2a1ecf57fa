"""What every group of verbs shares."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from headrace.service.principal import Principal
from headrace.service.session import Runtime, Scope, begin


class TenantService:
    """Verbs of one noun, for one principal."""

    def __init__(self, runtime: Runtime, principal: Principal) -> None:
        self._runtime = runtime
        self._principal = principal

    def _begin(self, action: str, tenant: str | None = None) -> AbstractAsyncContextManager[Scope]:
        return begin(self._runtime, self._principal, action, tenant=tenant)


class ServerService(TenantService):
    """Verbs about what is no tenant's. A super-admin at work for one tenant does these for all: it was a choice."""

    def __init__(self, runtime: Runtime, principal: Principal) -> None:
        whole = principal.role == "super_admin" and principal.tenant is not None
        super().__init__(runtime, replace(principal, tenant=None, tenant_id=None) if whole else principal)
