"""`/admin`: what super-admins see and do."""

from __future__ import annotations

from fastapi import APIRouter

import headrace.api.routes.admin.audit as audit
import headrace.api.routes.admin.definitions as definitions
import headrace.api.routes.admin.jobs as jobs
import headrace.api.routes.admin.queues as queues
import headrace.api.routes.admin.tenants as tenants
import headrace.api.routes.admin.tokens as tokens
import headrace.api.routes.admin.workers as workers

router = APIRouter(prefix="/admin")
for _part in (tenants, tokens, audit, workers, queues, definitions, jobs):
    router.include_router(_part.router)
