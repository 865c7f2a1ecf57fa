"""The modules of routes, and which of them answer a path: who asks for one thing need not load the others."""

from __future__ import annotations

import importlib

from fastapi import APIRouter

PREFIX = "/api/v1"
# Modules below `routes`, in the order in which they are asked, and where their paths begin: {} is anything.
# Static paths come before /jobs/{job_id} and /alerts/{alert_id}.
ROUTE_MODULES: dict[str, tuple[str, ...]] = {
    "session": ("/session",),
    "triggers.overview": ("/jobs/triggers/overview", "/jobs/triggers/calendar", "/jobs/triggers/{}/backfill/preview"),
    "triggers.routes": ("/jobs/triggers",),
    "jobs.bulk": ("/jobs/bulk",),
    "jobs.routes": ("/jobs",),
    "admin.tenants": ("/admin/tenants",),
    "admin.tokens": ("/admin/tokens",),
    "admin.audit": ("/admin/audit",),
    "admin.workers": ("/admin/workers",),
    "admin.queues": ("/admin/queues",),
    "admin.retention": ("/admin/retention",),
    "admin.definitions": ("/admin/jobs/definitions",),
    "admin.jobs": ("/admin/jobs",),
    "worker.routes": ("/worker",),
    "worker.runs": ("/worker",),
    "jobs.logs": ("/jobs/{}/logs",),
    "definitions": ("/definitions",),
    "events": ("/events",),
    "logs.routes": ("/logs",),
    "stream": ("/stream",),
    "charts": ("/charts",),
    "overview": ("/overview",),
    "failures": ("/errors",),
    "settings": ("/settings",),
    "alerts.rules": ("/alerts/rules",),
    "alerts.targets": ("/alerts/targets",),
    "alerts.routes": ("/alerts",),
}
# For probes and Prometheus, which have their own customs.
AT_THE_ROOT = ("health", "metrics")
EVERY = (*ROUTE_MODULES, *AT_THE_ROOT)


def modules_for(path: str) -> tuple[str, ...]:
    """The modules that may answer a path: those that know the most of it."""
    if not path.startswith(PREFIX):
        return AT_THE_ROOT
    words = path.removeprefix(PREFIX).split("/")
    known = {part: max(_known(start.split("/"), words) for start in starts) for part, starts in ROUTE_MODULES.items()}
    most = max(known.values())
    return tuple(part for part, length in known.items() if length == most > 0)


def _known(start: list[str], words: list[str]) -> int:
    fits = len(start) <= len(words) and all(own in ("{}", word) for own, word in zip(start, words, strict=False))
    return len(start) if fits else 0


def router_of(part: str) -> APIRouter:
    """Its routes, loaded now."""
    router: APIRouter = importlib.import_module(f"headrace.api.routes.{part}").router
    return router
