"""Which role may do what: one table, asked before anything else."""

from __future__ import annotations

from headrace.errors import Forbidden
from headrace.service.principal import Principal, Role

SUPER: frozenset[Role] = frozenset({"super_admin"})
ADMINS: frozenset[Role] = SUPER | {"tenant_admin"}
READERS: frozenset[Role] = ADMINS | {"tenant_viewer"}
WORKERS: frozenset[Role] = SUPER | {"worker"}
METERS: frozenset[Role] = SUPER | {"metrics"}

ALLOWED: dict[str, frozenset[Role]] = {
    "jobs.list": READERS,
    "jobs.list_all": SUPER,
    "jobs.read": READERS,
    "jobs.why": READERS,
    "jobs.summary": READERS,
    "jobs.enqueue": ADMINS,
    "jobs.cancel": ADMINS,
    "jobs.retry": ADMINS,
    "jobs.bulk": ADMINS,
    "operations.read": READERS,
    "operations.cancel": ADMINS,
    "definitions.read": READERS,
    "definitions.inspect": SUPER,
    "definitions.define": SUPER,
    "definitions.update": SUPER,
    "definitions.pause": SUPER,
    "definitions.sync": WORKERS,
    "triggers.read": READERS,
    "triggers.change": ADMINS,
    "triggers.fire": ADMINS,
    "events.emit": ADMINS,
    "events.read": READERS,
    "logs.read": READERS,
    "logs.search": READERS,
    "stream.follow": READERS,
    "errors.read": READERS,
    "alerts.read": READERS,
    "alerts.settle": ADMINS,
    "alert_rules.read": READERS,
    "alert_rules.change": ADMINS,
    "alert_targets.read": READERS,
    "alert_targets.change": ADMINS,
    "alert_targets.test": ADMINS,
    "workers.read": SUPER,
    "workers.drain": SUPER,
    "queues.read": SUPER,
    "queues.pause": SUPER,
    "queues.change": SUPER,
    "retention.read": SUPER,
    "retention.run": SUPER,
    "tenants.read": SUPER,
    "tenants.change": SUPER,
    "tenants.pause": SUPER,
    "tokens.read": SUPER,
    "tokens.change": SUPER,
    "audit.read": SUPER,
    "metrics.read": METERS,
    "charts.read": READERS,
    "overview.read": READERS,
    "worker.work": WORKERS,
}


def authorise(principal: Principal, action: str) -> None:
    """Refuse what the role may not do."""
    if principal.role not in ALLOWED[action]:
        raise Forbidden(
            f"the role {principal.role} may not do this; allowed roles: {' or '.join(sorted(ALLOWED[action]))}"
        )


def allowed_actions(role: Role) -> list[str]:
    """All that the role may do."""
    return sorted(action for action, roles in ALLOWED.items() if role in roles)
