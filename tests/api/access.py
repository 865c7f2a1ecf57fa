"""Who may use which route: one entry for each operation, so that a new route without one fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from headrace.service.permissions import ADMINS, METERS, READERS, SUPER, WORKERS
from headrace.service.principal import ROLES, Role

ANYONE: frozenset[Role] | None = None
# What an id in the path is of, if it is a tenant's.
Object = Literal["job", "trigger", "event", "operation", "alert", "alert_rule", "alert_target"]


@dataclass(frozen=True)
class Access:
    """Who may, and a request that is valid otherwise."""

    roles: frozenset[Role] | None
    of: Object | None = None
    body: Any = None
    query: str = ""
    valid: bool = True


SCHEDULE = {"name": "new", "trigger_type": "schedule", "cron": "0 2 * * *", "definition": "work"}
STRETCH = {"from": "2030-01-01T00:00:00Z", "until": "2030-01-01T01:00:00Z"}
WORKER: dict[str, Any] = {"worker_id": 1}
RUN = {**WORKER, "run": 1}
HELLO = {"name": "w", "queues": ["*"], "definitions": ["work"], "concurrency": 1}

ACCESS: dict[str, Access] = {
    # jobs
    "enqueue": Access(ADMINS, body={"definition": "work"}),
    "enqueue_batch": Access(ADMINS, body={"jobs": [{"definition": "work"}]}),
    "list_jobs": Access(READERS),
    "get_job": Access(READERS, "job"),
    "list_attempts": Access(READERS, "job"),
    "read_job_logs": Access(READERS, "job"),
    "why": Access(READERS, "job"),
    "cancel_job": Access(ADMINS, "job"),
    "retry_job": Access(ADMINS, "job"),
    "get_summary": Access(READERS),
    "count_jobs": Access(READERS),
    "change_jobs": Access(ADMINS, body={"action": "cancel"}),
    "list_operations": Access(READERS),
    "get_operation": Access(READERS, "operation"),
    "cancel_operation": Access(ADMINS, "operation"),
    # triggers
    "list_triggers": Access(READERS),
    "overview_triggers": Access(READERS),
    "calendar_of_triggers": Access(READERS, query="since=2030-01-01T00:00:00Z&until=2030-01-08T00:00:00Z"),
    "preview_backfill": Access(READERS, "trigger", query="since=2030-01-01T00:00:00Z&until=2030-01-08T00:00:00Z"),
    "create_trigger": Access(ADMINS, body=SCHEDULE),
    "preview_schedule": Access(READERS, query="cron=0+2+*+*+*"),
    "test_render": Access(READERS, body={"payload": {}, "data": {}}),
    "get_trigger": Access(READERS, "trigger"),
    "update_trigger": Access(ADMINS, "trigger", {"timezone": "UTC"}),
    "delete_trigger": Access(ADMINS, "trigger"),
    "enable_trigger": Access(ADMINS, "trigger"),
    "disable_trigger": Access(ADMINS, "trigger"),
    "reset_trigger": Access(ADMINS, "trigger"),
    "fire_trigger": Access(ADMINS, "trigger"),
    "skip_next": Access(ADMINS, "trigger"),
    "backfill_trigger": Access(ADMINS, "trigger", STRETCH),
    "preview_trigger": Access(READERS, "trigger"),
    "list_fires": Access(READERS, "trigger"),
    "list_deliveries": Access(READERS, "trigger"),
    # definitions, events, logs
    "list_definitions": Access(READERS),
    "get_definition": Access(READERS),
    "list_definition_settings": Access(READERS),
    "emit_event": Access(ADMINS, body={"name": "folder.updated"}),
    "list_events": Access(READERS),
    "get_event": Access(READERS, "event"),
    "search_logs": Access(READERS),
    "stream": Access(READERS),
    "chart_throughput": Access(READERS),
    "chart_busiest": Access(READERS),
    "chart_usual": Access(READERS),
    "chart_queues": Access(SUPER),
    "list_errors": Access(READERS),
    "get_health": Access(READERS),
    # alerts
    "list_alerts": Access(READERS),
    "get_alert": Access(READERS, "alert"),
    "acknowledge_alert": Access(ADMINS, "alert"),
    "close_alert": Access(ADMINS, "alert"),
    "list_alert_deliveries": Access(READERS),
    "list_alert_rules": Access(READERS),
    "list_alert_rule_settings": Access(READERS),
    "list_trigger_settings": Access(READERS),
    "create_alert_rule": Access(ADMINS, body={"name": "new", "kind": "job_died"}),
    "get_alert_rule": Access(READERS, "alert_rule"),
    "update_alert_rule": Access(ADMINS, "alert_rule", {"repeat_seconds": 600}),
    "delete_alert_rule": Access(ADMINS, "alert_rule"),
    "enable_alert_rule": Access(ADMINS, "alert_rule"),
    "disable_alert_rule": Access(ADMINS, "alert_rule"),
    "list_alert_targets": Access(READERS),
    "create_alert_target": Access(ADMINS, body={"name": "new", "kind": "email", "address": "ann@example.com"}),
    "get_alert_target": Access(READERS, "alert_target"),
    "update_alert_target": Access(ADMINS, "alert_target", {"name": "other"}),
    "delete_alert_target": Access(ADMINS, "alert_target"),
    "test_alert_target": Access(ADMINS, "alert_target"),
    # the server
    "list_tenants": Access(SUPER),
    "create_tenant": Access(SUPER, body={"name": "initech"}),
    "get_tenant": Access(SUPER),
    "change_tenant": Access(SUPER, body={"title": "Acme"}),
    "pause_tenant": Access(SUPER),
    "resume_tenant": Access(SUPER),
    "list_tokens": Access(SUPER),
    "create_token": Access(SUPER, body={"name": "t", "role": "super_admin"}),
    "revoke_token": Access(SUPER),
    "list_audit": Access(SUPER),
    "list_workers": Access(SUPER),
    "get_worker": Access(SUPER),
    "drain_worker": Access(SUPER),
    "list_queues": Access(SUPER),
    "get_queue": Access(SUPER),
    "pause_queue": Access(SUPER),
    "resume_queue": Access(SUPER),
    "change_queue": Access(SUPER, body={"fair": False}),
    "get_retention": Access(SUPER),
    "preview_retention": Access(SUPER),
    "run_retention": Access(SUPER, valid=False),  # nobody has made the built-in jobs known
    "inspect_definitions": Access(SUPER),
    "inspect_definition": Access(SUPER),
    "define_sql_job": Access(SUPER, body={"key": "sql-job", "function": "public.nothing"}, valid=False),
    "update_definition": Access(SUPER, body={"enabled": True}),
    "pause_definition": Access(SUPER),
    "resume_definition": Access(SUPER),
    "list_all_jobs": Access(SUPER),
    "get_summary_of_all": Access(SUPER),
    "metrics": Access(METERS),
    # workers
    "register_worker": Access(WORKERS, body=HELLO),
    "beat_worker": Access(WORKERS, body={**WORKER, "running": 0}),
    "stop_worker": Access(WORKERS, body=WORKER),
    "claim_jobs": Access(WORKERS, body={**WORKER, "limit": 1, "wait_seconds": 0}),
    "finish_jobs": Access(WORKERS, body={**WORKER, "ended": []}),
    "write_logs": Access(WORKERS, body={**WORKER, "lines": []}),
    "complete_run": Access(WORKERS, body=RUN),
    "fail_run": Access(WORKERS, body={**RUN, "error": "x"}),
    "beat_run": Access(WORKERS, body=RUN),
    "write_run_logs": Access(WORKERS, body={**RUN, "lines": []}),
    # for everybody
    "sign_in": Access(ANYONE, body={"token": "hr_none"}, valid=False),
    "get_session": Access(frozenset(ROLES)),
    "sign_out": Access(ANYONE),
    "healthz": Access(ANYONE),
    "readyz": Access(ANYONE),
}
IDS = {
    "name": "acme",
    "key": "work",
    "queue": "default",
    "worker_id": "1",
    "token_id": "00000000-0000-4000-8000-000000000000",
}
