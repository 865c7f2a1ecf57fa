"""`/metrics`, for Prometheus."""

from __future__ import annotations

from typing import Any

from fastapi import Request, Response

from headrace.api.auth import authenticator
from headrace.api.body.route import new_router
from headrace.api.prometheus import CONTENT_TYPE, exposition
from headrace.api.schemas import PROBLEMS
from headrace.api.state import state_of
from headrace.service import SYSTEM, Service

router = new_router(tags=["metrics"], responses={status: PROBLEMS[status] for status in (401, 403)})


# A token, or none where everybody may.
SECURITY: dict[str, Any] = {"security": [{"HTTPBearer": []}, {}]}


@router.get(
    "/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}}, openapi_extra=SECURITY
)
async def metrics(request: Request) -> Response:
    """Metrics in Prometheus' format. For super-admins and the role `metrics`; for all with `server.metrics_public`."""
    auth = authenticator(request)
    public = auth.runtime.settings.server.metrics_public
    service = Service(auth.runtime, SYSTEM if public else await auth.principal(request))
    measured = await service.metrics.read(state_of(request).scrapes)
    return Response(exposition(measured), media_type=CONTENT_TYPE)
