"""`headrace triggers|schedules create|update|enable|disable|delete|reset`: change triggers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headrace.cli.core.call import Call
from headrace.cli.core.completion import definition_keys
from headrace.cli.core.options import Yes, confirm
from headrace.cli.output.tables import ago
from headrace.cli.triggers.find import find_trigger
from headrace.cli.triggers.list import Group, Name
from headrace.cli.triggers.options import RULES, settings_sent, unset
from headrace.cli.triggers.tables import rule
from headrace.errors import BadRequest

NewName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the trigger.")]
Key = Annotated[
    str, typer.Argument(metavar="DEFINITION", help="The definition to run.", autocompletion=definition_keys)
]


async def create(
    group: Group,
    call: Call,
    name: NewName,
    definition: Key,
    settings: dict[str, Any],
    disabled: Annotated[bool, typer.Option("--disabled", help="Create the trigger turned off.")] = False,
) -> None:
    """Create a trigger that runs a definition by a rule.

    Example: headrace GROUP create nightly say_hello --cron '0 2 * * *' --payload '{"name": "night"}'
    """
    if not set(RULES) & set(settings):
        ways = "--cron or --every" if group.kind else "--cron, --every, --event or --init"
        raise BadRequest(f"the rule is missing: give {ways}")
    body = {**settings_sent(settings), "name": name, "definition": definition, "enabled": not disabled}
    async with call.api() as api:
        made = await api.post("/jobs/triggers", body)
    call.show.said(f"{made['name']}  {rule(made)}  {_state(made)}", made)


async def update(
    group: Group,
    call: Call,
    name: Name,
    settings: dict[str, Any],
    take_away: Annotated[
        list[str] | None, typer.Option("--unset", metavar="SETTING", help="Remove a setting. Repeatable.")
    ] = None,
) -> None:
    """Change settings, all or none. A new rule applies from now.

    Example: headrace GROUP update nightly_cleanup --cron '30 3 * * *' --overlap skip
    """
    changes = {**settings_sent(settings), **unset(take_away or [])}
    if not changes:
        raise BadRequest("nothing to change: give a setting, for example --cron '30 3 * * *'")
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        if found["trigger_type"] == "event" and changes.get("trigger_type") == "schedule":
            changes |= {"event": None, "condition": None}
        changed = await api.patch(f"/jobs/triggers/{found['id']}", changes)
    call.show.said(f"{changed['name']}  {rule(changed)}  {_state(changed)}", changed)


async def enable(group: Group, call: Call, name: Name) -> None:
    """Turn a trigger on, from now: earlier due times do not fire.

    Example: headrace GROUP enable nightly_cleanup
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        changed = await api.post(f"/jobs/triggers/{found['id']}/enable")
    call.show.said(f"{changed['name']}  {_state(changed)}", changed)


async def disable(
    group: Group,
    call: Call,
    name: Name,
    note: Annotated[str | None, typer.Option("--note", help="The reason, for other people.")] = None,
) -> None:
    """Turn a trigger off. Jobs already enqueued still run.

    Example: headrace GROUP disable nightly_cleanup --note 'while we migrate'
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        changed = await api.post(f"/jobs/triggers/{found['id']}/disable", {"note": note})
    call.show.said(f"{changed['name']}  off", changed)


async def delete(group: Group, call: Call, name: Name, yes: Yes = False) -> None:
    """Delete a trigger; its fires and its jobs stay. A trigger that code declares can only be disabled.

    Example: headrace GROUP delete hourly --yes
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        confirm(f"Delete {found['name']} ({rule(found)})?", yes=yes)
        await api.delete(f"/jobs/triggers/{found['id']}")
    call.show.said(f"{found['name']}  deleted; its fires stay under {found['id']}", found)


async def reset(group: Group, call: Call, name: Name) -> None:
    """Reset a trigger that code declares to the settings in code.

    Example: headrace GROUP reset nightly_cleanup
    """
    async with call.api() as api:
        found = await find_trigger(api, name, kind=group.kind)
        changed = await api.post(f"/jobs/triggers/{found['id']}/reset")
    call.show.said(f"{changed['name']}  {rule(changed)}  {_state(changed)}", changed)


def _state(trigger: dict[str, Any]) -> str:
    if not trigger["enabled"]:
        return "off"
    return f"on, next {ago(trigger['next_run_at'])}" if trigger["next_run_at"] else "on"
