"""`headrace alerts rules`: what is looked for, and who is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headrace.cli.alerts.find import find_rule, find_target
from headrace.cli.alerts.options import SETTINGS, settings_sent
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import All, Limit, Yes, confirm, how_many, with_options
from headrace.cli.output.tables import Column, span, text, when
from headrace.errors import BadRequest
from headrace.model.alert.kind import ALERT_KINDS

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

app = typer.Typer(help="Manage the rules of alerts.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The rule's name, its id, or a part of the id.")]
COLUMNS = [
    Column("id", lambda rule: rule["id"], narrow=lambda rule: rule["id"][:8]),
    Column("name", lambda rule: rule["name"], elastic=True),
    Column("tenant", lambda rule: rule["tenant"] or "all"),
    Column("kind", lambda rule: rule["kind"]),
    Column("state", lambda rule: "on" if rule["enabled"] else "off"),
    Column("open", lambda rule: rule["open_alerts"], right=True),
    Column("looks for", lambda rule: _parameters(rule), elastic=True),
    Column("targets", lambda rule: len(rule["targets"]), right=True, spare=True),
]


@app.command("list")
@speaks_to_api
async def list_command(call: Call, limit: Limit = 50, everything: All = False) -> None:
    """List rules by name. Example: headrace alerts rules list"""
    async with call.api() as api:
        items = api.items("/alerts/rules", limit=how_many(limit, everything))
        call.show.table([rule async for rule in items], COLUMNS, empty="no rules")


@app.command("show")
@speaks_to_api
async def show_command(call: Call, name: Name) -> None:
    """Show one rule. Example: headrace alerts rules show died"""
    async with call.api() as api:
        rule = await find_rule(api, name)
        named = {target["id"]: target["name"] async for target in api.items("/alerts/targets", limit=None)}
        call.show.item(rule, _rows(rule, named))


async def create(
    call: Call,
    settings: dict[str, Any],
    name: Annotated[str, typer.Argument(help="The name of the rule.")],
    kind: Annotated[str, typer.Argument(help=f"The kind of the rule: {', '.join(ALERT_KINDS)}.")],
    off: Annotated[bool, typer.Option("--off", help="Create the rule turned off.")] = False,
) -> None:
    """Create a rule. Without --tenant the rule is for the whole server: the jobs of all tenants.

    Example: headrace alerts rules create died job_died --set definition=flaky --target people --repeat 1h
    """
    async with call.api() as api:
        body = {"name": name, "kind": kind, "enabled": not off, **await _sent(api, settings)}
        call.show.said(f"created rule {name}", await api.post("/alerts/rules", body))


async def update(
    call: Call,
    settings: dict[str, Any],
    name: Name,
    rename: Annotated[str | None, typer.Option("--name", help="The new name.")] = None,
) -> None:
    """Change settings of a rule; none removes a setting.

    Example: headrace alerts rules update died --quiet 22:00-07:00 --timezone Europe/Berlin
    """
    if not settings and rename is None:
        raise BadRequest("nothing to change: give --set, --target, --repeat or another setting")
    async with call.api() as api:
        rule = await find_rule(api, name)
        body = {**({} if rename is None else {"name": rename}), **await _sent(api, settings)}
        call.show.said(f"changed rule {name}", await api.patch(f"/alerts/rules/{rule['id']}", body))


for _name, _function in (("create", create), ("update", update)):
    app.command(_name)(speaks_to_api(with_options("settings", SETTINGS)(_function)))


@app.command("enable")
@speaks_to_api
async def enable_command(call: Call, name: Name) -> None:
    """Turn a rule on, from now. Example: headrace alerts rules enable died"""
    async with call.api() as api:
        rule = await find_rule(api, name)
        call.show.said(f"rule {rule['name']} is on", await api.post(f"/alerts/rules/{rule['id']}/enable"))


@app.command("disable")
@speaks_to_api
async def disable_command(call: Call, name: Name) -> None:
    """Turn a rule off; its alerts are closed without a notice. Example: headrace alerts rules disable died"""
    async with call.api() as api:
        rule = await find_rule(api, name)
        call.show.said(f"rule {rule['name']} is off", await api.post(f"/alerts/rules/{rule['id']}/disable"))


@app.command("delete")
@speaks_to_api
async def delete_command(call: Call, name: Name, yes: Yes = False) -> None:
    """Delete a rule and its alerts. Example: headrace alerts rules delete died --yes"""
    async with call.api() as api:
        rule = await find_rule(api, name)
        confirm(f"Delete the alert rule {rule['name']!r} and its alerts?", yes=yes)
        await api.delete(f"/alerts/rules/{rule['id']}")
        call.show.said(f"deleted rule {rule['name']}", rule)


async def _sent(api: Api, settings: Mapping[str, Any]) -> dict[str, Any]:
    """As the API has them: targets by id."""
    body = settings_sent(settings)
    if "targets" in body:
        body["targets"] = [(await find_target(api, name))["id"] for name in body["targets"]]
    if body.get("escalate_to") is not None:
        body["escalate_to"] = (await find_target(api, body["escalate_to"]))["id"]
    return body


def _rows(rule: Mapping[str, Any], named: Mapping[str, str]) -> Sequence[tuple[str, Any]]:
    escalates = f"to {named.get(rule['escalate_to'])} with repeat {rule['escalate_after']}"
    return [
        ("id", rule["id"]),
        ("name", rule["name"]),
        ("tenant", rule["tenant"] or "all"),
        ("kind", rule["kind"]),
        ("looks for", _parameters(rule)),
        ("state", "on" if rule["enabled"] else "off"),
        ("open alerts", rule["open_alerts"]),
        ("targets", ", ".join(named.get(one, one) for one in rule["targets"]) or None),
        ("over after", span(rule["recover_after_seconds"])),
        ("groups", span(rule["group_seconds"])),
        ("repeats", None if rule["repeat_seconds"] is None else f"every {span(rule['repeat_seconds'])}"),
        ("escalates", None if rule["escalate_to"] is None else escalates),
        ("quiet", f"{rule['quiet_from']}-{rule['quiet_until']} {rule['timezone']}" if rule["quiet_from"] else None),
        ("made", f"{when(rule['created_at'])} by {rule['created_by']}"),
    ]


def _parameters(rule: Mapping[str, Any]) -> str:
    said = {name: value for name, value in rule["parameters"].items() if value is not None}
    return ", ".join(f"{name}={text(value)}" for name, value in said.items())
