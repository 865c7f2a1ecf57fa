"""`headrace triggers|schedules list|show|preview|fires`: look at triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from headrace.cli.core.call import Call
from headrace.cli.core.completion import definition_keys, trigger_names
from headrace.cli.core.options import All, Limit, System, how_many, with_options
from headrace.cli.triggers.find import find_trigger, trigger_id
from headrace.cli.triggers.options import OF_PREVIEW, settings_sent
from headrace.cli.triggers.tables import DELIVERY_COLUMNS, FIRE_COLUMNS, time_columns, trigger_columns, trigger_rows
from headrace.errors import BadRequest


@dataclass(frozen=True)
class Group:
    """`triggers`, or `schedules`: the same commands over time triggers alone."""

    noun: str
    kind: str | None = None


Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="The trigger's name, its id, or a part of the id.", autocompletion=trigger_names
    ),
]
Definition = Annotated[
    str | None,
    typer.Option("--definition", "-d", help="Only triggers of this definition.", autocompletion=definition_keys),
]


async def list_them(
    group: Group,
    call: Call,
    definition: Definition = None,
    enabled: Annotated[
        bool | None, typer.Option("--enabled/--disabled", help="Only enabled triggers, or only disabled ones.")
    ] = None,
    limit: Limit = 50,
    everything: All = False,
    system: System = False,
) -> None:
    """List triggers by name, with the next due time.

    Example: headrace GROUP list --enabled
    """
    params: dict[str, Any] = {"definition": definition, "enabled": enabled, "trigger_type": group.kind}
    params["include_system"] = system or None
    async with call.api() as api:
        found = [one async for one in api.items("/jobs/triggers", limit=how_many(limit, everything), **params)]
    call.show.table(found, trigger_columns(found), empty=f"no {group.noun}")


async def show_one(group: Group, call: Call, name: Name) -> None:
    """Show one trigger.

    Example: headrace GROUP show nightly_cleanup
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
    call.show.item(found, trigger_rows(found))


@with_options("rule", OF_PREVIEW)
async def preview(
    group: Group,
    call: Call,
    rule: dict[str, Any],
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The name of an existing trigger.", autocompletion=trigger_names),
    ] = None,
    count: Annotated[int, typer.Option("--count", "-n", min=1, max=1000, help="How many due times.")] = 10,
) -> None:
    """Show the next due times, of a trigger or of a rule without a trigger.

    Example: headrace GROUP preview --cron '0 2 * * 1-5' --timezone Europe/Berlin
    """
    if (name is None) == (not rule):
        raise BadRequest("give a name, or a rule with --cron or --every")
    sent = settings_sent(rule)
    if name is None and not {"cron", "every"} & set(rule):
        raise BadRequest("a rule needs --cron or --every")
    params = {key: value for key, value in sent.items() if key != "trigger_type"}
    zone = rule.get("timezone", "UTC")
    async with call.api() as api:
        if name is not None:
            found = await find_trigger(api, name, kind=group.kind)
            zone = found["timezone"]
            answer = await api.get(f"/jobs/triggers/{found['id']}/preview", count=count)
        else:
            answer = await api.get("/jobs/triggers/preview", count=count, **params)
    if call.as_json:
        call.show.json(answer)
        return
    call.show.note(answer["words"])
    call.show.table(answer["times"], time_columns(zone), empty="no more due times")


async def fires(group: Group, call: Call, name: Name, limit: Limit = 50, everything: All = False) -> None:
    """Show the fires of a trigger, newest first. Name a deleted trigger by its id.

    Example: headrace GROUP fires nightly_cleanup
    """
    async with call.api() as api:
        path = f"/jobs/triggers/{await trigger_id(api, name, kind=group.kind)}/fires"
        found = [line async for line in api.items(path, limit=how_many(limit, everything))]
    call.show.table(found, FIRE_COLUMNS, empty="no due times yet")


async def deliveries(call: Call, name: Name, limit: Limit = 50, everything: All = False) -> None:
    """Show the deliveries of an event trigger, newest first.

    Example: headrace triggers deliveries on-folder
    """
    async with call.api() as api:
        path = f"/jobs/triggers/{await trigger_id(api, name)}/deliveries"
        found = [line async for line in api.items(path, limit=how_many(limit, everything))]
    call.show.table(found, DELIVERY_COLUMNS, empty="no deliveries yet")
