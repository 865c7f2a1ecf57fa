"""Every verb of the control plane, for one principal."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from headrace.service.principal import SYSTEM, Principal
from headrace.service.session import Runtime

if TYPE_CHECKING:
    from headrace.service.alerts import AlertRules, Alerts, AlertTargets
    from headrace.service.audit.service import Audit
    from headrace.service.charts.service import Charts
    from headrace.service.definitions.service import Definitions
    from headrace.service.events.service import Events
    from headrace.service.failures.service import Failures
    from headrace.service.jobs import Jobs
    from headrace.service.jobs.all_tenants import AllJobs
    from headrace.service.jobs.operations import Operations
    from headrace.service.logs.service import Logs
    from headrace.service.metrics.service import Metrics
    from headrace.service.overview import Overview
    from headrace.service.queues.service import Queues
    from headrace.service.retention.service import Retention
    from headrace.service.stream import Stream
    from headrace.service.tenants.service import Tenants
    from headrace.service.tokens.service import Tokens
    from headrace.service.triggers import Triggers
    from headrace.service.worker_protocol import WorkerProtocol
    from headrace.service.workers.service import Workers

# Where verbs are that are not in the module of their own name.
ELSEWHERE = {
    "work": "worker_protocol",
    "alert_rules": "alerts",
    "alert_targets": "alerts",
    "all_jobs": "jobs.all_tenants",
    "operations": "jobs.operations",
    "errors": "failures",
}


class Service:
    """`service.jobs.list(…)`, `service.tokens.create(…)`, and so on; each noun is loaded when it is first used."""

    jobs: Jobs
    triggers: Triggers
    definitions: Definitions
    events: Events
    logs: Logs
    operations: Operations
    tokens: Tokens
    work: WorkerProtocol
    tenants: Tenants
    audit: Audit
    workers: Workers
    queues: Queues
    retention: Retention
    all_jobs: AllJobs
    metrics: Metrics
    stream: Stream
    charts: Charts
    overview: Overview
    errors: Failures
    alerts: Alerts
    alert_rules: AlertRules
    alert_targets: AlertTargets

    def __init__(self, runtime: Runtime, principal: Principal = SYSTEM) -> None:
        self.runtime = runtime
        self.principal = principal

    def __getattr__(self, noun: str) -> Any:
        # Annotations are texts here, so that this list is the only one: a noun, and the class of its verbs.
        kind = Service.__annotations__.get(noun)
        if kind is None:
            raise AttributeError(f"the service has no {noun!r}")
        module = importlib.import_module(f"headrace.service.{ELSEWHERE.get(noun, noun)}")
        verbs = getattr(module, kind)(self.runtime, self.principal)
        setattr(self, noun, verbs)
        return verbs
