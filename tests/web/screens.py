"""Every screen, so that some tests can visit all of them: its name, and its address for a job and a trigger."""

from __future__ import annotations

SCREENS = {
    "overview": "/",
    "jobs": "/jobs",
    "job": "/jobs/{job}",
    "triggers": "/triggers",
    "week": "/triggers?span=week",
    "trigger": "/triggers/{trigger}",
    "definitions": "/definitions",
    "definition": "/definitions/greet",
    "errors": "/errors",
    "dead letter": "/dead-letter",
    "logs": "/logs",
    "alerts": "/alerts",
    "workers": "/workers",
    "tenants": "/admin",
    "tokens": "/admin/tokens",
    "audit": "/admin/audit",
    "retention": "/admin/retention",
    "nothing": "/nothing/here",
}
# What only super-admins see.
OF_THE_SERVER = {"workers", "tenants", "tokens", "audit", "retention"}


def role_for(name: str) -> str:
    """Who looks at a screen."""
    return "super_admin" if name in OF_THE_SERVER else "tenant_admin"
