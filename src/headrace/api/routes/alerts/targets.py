"""`/alerts/targets`: where notices go."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from headrace.alerts.targets import Signing
from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.alerts.rules import AlertPageQuery
from headrace.api.schemas import Page, RequestModel, ResponseModel, Text
from headrace.model.alert.target import TargetKind
from headrace.service.alerts.targets import TargetWithKey

router = new_router(prefix="/alerts/targets", tags=["alerts"])


class NewTarget(RequestModel):
    """A target to create."""

    name: Text = Field(min_length=1, max_length=200, examples=["on call"])
    kind: TargetKind
    address: Text = Field(
        min_length=1,
        max_length=2000,
        description="a URL, e-mail addresses separated by commas, or the key of a command",
        examples=["https://example.com/hooks/headrace"],
    )
    sign: bool = Field(default=True, description="whether a webhook is signed, with a new key")


class TargetChanges(RequestModel):
    """Settings to change; others stay."""

    name: Text | None = Field(default=None, min_length=1, max_length=200)
    address: Text | None = Field(default=None, min_length=1, max_length=2000)
    signing: Signing = Field(
        default="keep", description="whether to keep, remove or replace the key of a webhook's signature"
    )


class TargetAnswer(ResponseModel):
    """A target. The last part of a webhook's address is not shown."""

    id: UUID
    tenant: str | None = Field(description="null: a target of the whole server")
    name: str
    kind: TargetKind
    address: str
    signed: bool
    created_at: datetime
    created_by: str


class NewTargetAnswer(TargetAnswer):
    """A target, with the key of its signature if the key is new."""

    key: str | None = Field(description="the key of the signature, shown only here")


class TestAnswer(ResponseModel):
    """An enqueued notice; `/alerts/deliveries?notice_id=` has its attempts."""

    notice_id: UUID


def _with_key(made: TargetWithKey) -> NewTargetAnswer:
    return NewTargetAnswer.model_validate({**made.target._asdict(), "key": made.key})


@router.get("")
async def list_alert_targets(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[AlertPageQuery, Query()]
) -> Page[TargetAnswer]:
    """List targets by name."""
    page = await service.alert_targets.list(limit=query.limit, cursor=await cursors.read(query.cursor))
    items = [TargetAnswer.model_validate(target) for target in page.items]
    return Page(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.post("", status_code=201)
async def create_alert_target(service: CurrentService, new: NewTarget) -> NewTargetAnswer:
    """Create a target. An address of the own network is refused, unless the configuration allows it."""
    return _with_key(await service.alert_targets.create(new.name, new.kind, new.address, sign=new.sign))


@router.get("/{alert_target_id}")
async def get_alert_target(service: CurrentService, alert_target_id: UUID) -> TargetAnswer:
    """Show one target."""
    return TargetAnswer.model_validate(await service.alert_targets.get(alert_target_id))


@router.patch("/{alert_target_id}")
async def update_alert_target(
    service: CurrentService, alert_target_id: UUID, changes: TargetChanges
) -> NewTargetAnswer:
    """Change a target's name, address, or key."""
    return _with_key(
        await service.alert_targets.update(
            alert_target_id, name=changes.name, address=changes.address, signing=changes.signing
        )
    )


@router.delete("/{alert_target_id}", status_code=204)
async def delete_alert_target(service: CurrentService, alert_target_id: UUID) -> None:
    """Delete a target; refused while a rule uses it."""
    await service.alert_targets.delete(alert_target_id)


@router.post("/{alert_target_id}/test", status_code=202)
async def test_alert_target(service: CurrentService, alert_target_id: UUID) -> TestAnswer:
    """Send a test notice."""
    return TestAnswer(notice_id=await service.alert_targets.test(alert_target_id))
