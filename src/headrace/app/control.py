"""`hr.control`: the control plane from Python."""

from __future__ import annotations

from headrace.service import SYSTEM, Principal, Service
from headrace.service.session import Runtime


class Control(Service):
    """Every verb of the control plane, as the application itself, while its database is open."""

    def __init__(self, app: Runtime) -> None:
        super().__init__(app, SYSTEM)

    def as_(self, principal: Principal) -> Service:
        """The same verbs as somebody else may use them."""
        return Service(self.runtime, principal)
