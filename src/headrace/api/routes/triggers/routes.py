"""`/jobs/triggers`: rules that enqueue jobs."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from headrace.api.auth import CurrentService
from headrace.api.body.route import new_router
from headrace.api.paging import CurrentCursors
from headrace.api.routes.triggers.requests import (
    Backfill,
    Disable,
    FireRequest,
    NewTrigger,
    PageQuery,
    PreviewQuery,
    TestRender,
    TriggerChanges,
    TriggerQuery,
    given_settings,
)
from headrace.api.routes.triggers.responses import (
    BackfillAnswer,
    DeliveriesAnswer,
    DeliveryAnswer,
    FireAnswer,
    FiresAnswer,
    PreviewAnswer,
    RanAnswer,
    RenderedAnswer,
    SkippedAnswer,
    TriggerAnswer,
    TriggersAnswer,
    trigger_answer,
)

router = new_router(prefix="/jobs/triggers", tags=["triggers"])


@router.get("")
async def list_triggers(
    service: CurrentService, cursors: CurrentCursors, query: Annotated[TriggerQuery, Query()]
) -> TriggersAnswer:
    """List triggers by name."""
    after = await cursors.read(query.cursor)
    page = await service.triggers.page(query.filter(), limit=query.limit, cursor=after)
    items = [trigger_answer(one) for one in page.items]
    return TriggersAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.post("", status_code=201)
async def create_trigger(service: CurrentService, new: NewTrigger) -> TriggerAnswer:
    """Create a trigger; errors name the field: rule, zone, template or condition."""
    trigger_id = await service.triggers.create(new.name, new.definition, enabled=new.enabled, **given_settings(new))
    return trigger_answer(await service.triggers.get(trigger_id))


@router.get("/preview")
async def preview_schedule(service: CurrentService, query: Annotated[PreviewQuery, Query()]) -> PreviewAnswer:
    """Preview a schedule that does not exist yet: its due times, and its rule in words."""
    forecast = await service.triggers.preview_settings(query.count, **query.settings())
    return PreviewAnswer.model_validate(forecast)


@router.post("/test-render")
async def test_render(service: CurrentService, test: TestRender) -> RenderedAnswer:
    """Render a template with a sample event: the payload, or the error."""
    rendered = await service.triggers.render(test.sample(), definition=test.definition)
    return RenderedAnswer.model_validate(rendered)


@router.get("/{trigger_id}")
async def get_trigger(service: CurrentService, trigger_id: UUID) -> TriggerAnswer:
    """Show one trigger."""
    return trigger_answer(await service.triggers.get(trigger_id))


@router.patch("/{trigger_id}")
async def update_trigger(service: CurrentService, trigger_id: UUID, changes: TriggerChanges) -> TriggerAnswer:
    """Change settings, all or none. A new rule applies from now."""
    await service.triggers.update(trigger_id, enabled=changes.enabled, **given_settings(changes))
    return trigger_answer(await service.triggers.get(trigger_id))


@router.delete("/{trigger_id}", status_code=204)
async def delete_trigger(service: CurrentService, trigger_id: UUID) -> None:
    """Delete a trigger; its fires and its jobs stay. A trigger that code declares can only be disabled."""
    await service.triggers.delete(trigger_id)


@router.post("/{trigger_id}/enable")
async def enable_trigger(service: CurrentService, trigger_id: UUID) -> TriggerAnswer:
    """Turn a trigger on, from now: earlier due times do not fire."""
    await service.triggers.enable(trigger_id)
    return trigger_answer(await service.triggers.get(trigger_id))


@router.post("/{trigger_id}/disable")
async def disable_trigger(service: CurrentService, trigger_id: UUID, why: Disable | None = None) -> TriggerAnswer:
    """Turn a trigger off. Jobs already enqueued still run."""
    await service.triggers.disable(trigger_id, note=None if why is None else why.note)
    return trigger_answer(await service.triggers.get(trigger_id))


@router.post("/{trigger_id}/reset")
async def reset_trigger(service: CurrentService, trigger_id: UUID) -> TriggerAnswer:
    """Reset a trigger to the settings in code."""
    await service.triggers.reset(trigger_id)
    return trigger_answer(await service.triggers.get(trigger_id))


@router.post("/{trigger_id}/fire")
async def fire_trigger(service: CurrentService, trigger_id: UUID, fire: FireRequest | None = None) -> RanAnswer:
    """Fire a trigger now, also when it is disabled."""
    ran = await service.triggers.fire(trigger_id, overlap=None if fire is None else fire.overlap)
    return RanAnswer.model_validate(ran)


@router.post("/{trigger_id}/skip-next")
async def skip_next(service: CurrentService, trigger_id: UUID) -> SkippedAnswer:
    """Skip the next due time."""
    return SkippedAnswer(skipped=await service.triggers.skip_next(trigger_id))


@router.post("/{trigger_id}/backfill")
async def backfill_trigger(service: CurrentService, trigger_id: UUID, which: Backfill) -> BackfillAnswer:
    """Make jobs for the due times of a range, oldest first, also for times that have fired."""
    made = await service.triggers.backfill(trigger_id, which.from_, which.until, overlap=which.overlap, cap=which.cap)
    return BackfillAnswer.model_validate(made)


@router.get("/{trigger_id}/preview")
async def preview_trigger(
    service: CurrentService, trigger_id: UUID, count: Annotated[int, Query(ge=1, le=1000)] = 10
) -> PreviewAnswer:
    """Preview a trigger: its next due times, and its rule in words."""
    return PreviewAnswer.model_validate(await service.triggers.preview(trigger_id, count))


@router.get("/{trigger_id}/fires")
async def list_fires(
    service: CurrentService, cursors: CurrentCursors, trigger_id: UUID, query: Annotated[PageQuery, Query()]
) -> FiresAnswer:
    """List the fires of a trigger, newest first; also of a deleted trigger."""
    after = await cursors.read(query.cursor)
    page = await service.triggers.fires_page(trigger_id, limit=query.limit, cursor=after)
    items = [FireAnswer.model_validate(line) for line in page.items]
    return FiresAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))


@router.get("/{trigger_id}/deliveries")
async def list_deliveries(
    service: CurrentService, cursors: CurrentCursors, trigger_id: UUID, query: Annotated[PageQuery, Query()]
) -> DeliveriesAnswer:
    """List the deliveries of a trigger, newest first; also of a deleted trigger."""
    after = await cursors.read(query.cursor)
    page = await service.triggers.deliveries_page(trigger_id, limit=query.limit, cursor=after)
    items = [DeliveryAnswer.model_validate(line) for line in page.items]
    return DeliveriesAnswer(items=items, next_cursor=await cursors.write(page.next_cursor))
