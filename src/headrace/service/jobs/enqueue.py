"""Enqueue on behalf of somebody: held against the definition's schema, within the tenant's quota."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from uuid import UUID

from headrace.db.statements import statements
from headrace.errors import BadRequest, NotFound, ValidationError
from headrace.model.job.request import JobRequest
from headrace.model.payload.schema import payload_check
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.encryption import SecretBox, encrypt_fields
from headrace.model.secret.fields import MASKED, secret_values
from headrace.model.secret.schema import read_secret_schema
from headrace.model.system import SYSTEM_TENANT
from headrace.model.text import NotJsonError, to_json
from headrace.queue.enqueue import Origin, enqueue
from headrace.service.jobs.quota import Quota, allow_waiting, quota_of
from headrace.service.session import Scope

SQL = statements(__file__)
LARGEST_BATCH = 10_000
# Characters of payloads, before others in the process have a turn.
AT_A_TIME = 100_000


async def enqueue_requests(
    box: SecretBox,
    scope: Scope,
    requests: Sequence[JobRequest],
    *,
    source: str = "api",
    source_ref: UUID | None = None,
    tenant: str | None = None,
) -> list[tuple[UUID, bool]]:
    """The ids in order, each with whether it is new. All or none."""
    if len(requests) > LARGEST_BATCH:
        raise BadRequest(f"a batch has at most {LARGEST_BATCH:,} jobs, not {len(requests):,}", field="jobs")
    owner = tenant or scope.owner
    quota: Quota | None = None

    async def check(requests: Sequence[JobRequest]) -> list[str]:
        nonlocal quota
        schemas = await _schemas(scope, {request.definition for request in requests}, owner)
        payloads = await _payloads(requests, schemas, box, owner)
        quota = await quota_of(scope, owner)
        if quota is not None:
            quota.allow_size(payloads)
        return payloads

    origin = Origin(tenant=owner, source=source, source_ref=source_ref, created_by=scope.principal.name)
    ids = await enqueue(scope.conn, requests, check, origin)
    result = await _with_news(scope, requests, ids)
    if quota is not None and any(new for _, new in result):
        await allow_waiting(scope, quota)
    await _record(scope, requests, result)
    return result


async def _with_news(scope: Scope, requests: Sequence[JobRequest], ids: Sequence[UUID]) -> list[tuple[UUID, bool]]:
    """Each id with whether this request made the job. Without keys there is nothing to ask."""
    if not any(request.dedupe_key is not None or request.idempotency_key is not None for request in requests):
        return [(job_id, True) for job_id in ids]
    new = {row[0] for row in await scope.conn.fetch(SQL["made_now"], list(ids))}
    result = []
    for job_id in ids:
        result.append((job_id, job_id in new))
        new.discard(job_id)  # a second request of the batch for the same job made nothing
    return result


async def _record(scope: Scope, requests: Sequence[JobRequest], result: Sequence[tuple[UUID, bool]]) -> None:
    if len(requests) == 1:
        await scope.audit(result[0][0], definition=requests[0].definition, created=result[0][1])
    else:
        definitions = sorted({request.definition for request in requests})
        await scope.audit(f"{len(requests)} jobs", definitions=definitions[:20], first=result[0][0] if result else None)


async def _schemas(scope: Scope, keys: set[str], owner: str) -> dict[str, str]:
    # A super-admin hears from the database why the tenant may not run a definition.
    asks = None if scope.principal.role == "super_admin" else owner
    rows = await scope.conn.fetch(SQL["payload_schemas"], list(keys), owner == SYSTEM_TENANT, asks)
    schemas: dict[str, str] = {row["key"]: row["payload_schema"] for row in rows}
    for key in sorted(keys - schemas.keys()):
        raise NotFound(f'unknown definition "{key}"', field="definition")
    return schemas


async def _payloads(
    requests: Sequence[JobRequest], schemas: Mapping[str, str], box: SecretBox, owner: str
) -> list[str]:
    payloads: list[str] = []
    size = 0
    for n, request in enumerate(requests):
        place = f"jobs.{n}." if len(requests) > 1 else ""
        payloads.append(_payload(request, schemas[request.definition], box, owner, place=place))
        size += len(payloads[-1])
        if size > AT_A_TIME:
            size = 0
            await asyncio.sleep(0)
    return payloads


def _payload(request: JobRequest, schema: str, box: SecretBox, tenant: str, *, place: str) -> str:
    payload = dict(request.payload)
    problem = payload_check(schema)(payload)
    if problem is not None:
        raise ValidationError(
            f'the payload does not fit definition "{request.definition}": {problem}', field=f"{place}payload"
        )
    try:
        text = to_json(payload)
    except NotJsonError as error:
        raise ValidationError(f"the payload cannot be stored: {error}", field=f"{place}payload") from None
    secrets = read_secret_schema(schema)
    if MASKED in text and MASKED in secret_values(payload, secrets):
        raise ValidationError(f"the payload contains the mask {MASKED}; send the real value", field=f"{place}payload")
    fields = encrypted_fields(secrets)
    if not fields:
        return text
    return to_json(encrypt_fields(payload, fields, box, tenant=tenant, definition=request.definition))
