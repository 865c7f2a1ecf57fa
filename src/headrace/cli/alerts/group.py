"""`headrace alerts`: what is wrong, who is told, and what was sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from headrace.cli.alerts import rules as alerts_rules
from headrace.cli.alerts import targets as alerts_targets
from headrace.cli.alerts.find import find_alert, find_rule
from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.core.options import All, Limit, how_many
from headrace.cli.output.tables import Column, ago, one_line, when

app = typer.Typer(help="Manage alerts, their rules and their targets.", no_args_is_help=True)
app.add_typer(alerts_rules.app, name="rules")
app.add_typer(alerts_targets.app, name="targets")
State = Literal["open", "closed", "all"]
Id = Annotated[str, typer.Argument(metavar="ID", help="The alert's id, or a part of the id.")]
COLUMNS = [
    Column("id", lambda alert: alert["id"], narrow=lambda alert: alert["id"][:8]),
    Column("tenant", lambda alert: alert["tenant"] or "all"),
    Column("rule", lambda alert: alert["rule"], elastic=True),
    Column("what", lambda alert: alert["what"], elastic=True),
    Column("state", lambda alert: state_of(alert)),
    Column("since", lambda alert: ago(alert["since"]), right=True),
    Column("told", lambda alert: alert["notices"], right=True, spare=True),
]
DELIVERY_COLUMNS = [
    Column("at", lambda one: ago(one["at"]), right=True),
    Column("event", lambda one: one["event"]),
    Column("rule", lambda one: one["rule"], elastic=True),
    Column("target", lambda one: one["target"], elastic=True),
    Column("code", lambda one: one["status_code"], right=True),
    Column("outcome", lambda one: one_line(one["error"]) or "arrived", elastic=True),
    Column("notice", lambda one: one["notice_id"], narrow=lambda one: one["notice_id"][:8], spare=True),
]


@app.command("list")
@speaks_to_api
async def list_command(
    call: Call,
    state: Annotated[State, typer.Option("--state", help="Only open alerts, only closed ones, or all.")] = "open",
    rule: Annotated[str | None, typer.Option("--rule", help="Only alerts of this rule.")] = None,
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """List alerts, newest first. Example: headrace alerts list --state all"""
    async with call.api() as api:
        rule_id = None if rule is None else (await find_rule(api, rule))["id"]
        items = api.items("/alerts", limit=how_many(limit, everything), state=state, rule_id=rule_id)
        empty = "no open alerts" if state == "open" else "no alerts"
        call.show.table([alert async for alert in items], COLUMNS, empty=empty)


@app.command("show")
@speaks_to_api
async def show_command(call: Call, alert: Id) -> None:
    """Show one alert. Example: headrace alerts show 0198c0de"""
    async with call.api() as api:
        found = await find_alert(api, alert)
        call.show.item(found, _rows(found))


@app.command("ack")
@speaks_to_api
async def ack_command(call: Call, alert: Id) -> None:
    """Mute an alert until it closes. Example: headrace alerts ack 0198c0de"""
    async with call.api() as api:
        found = await find_alert(api, alert)
        done = await api.post(f"/alerts/{found['id']}/acknowledge")
        call.show.said(f"acknowledged: {done['what']}", done)


@app.command("close")
@speaks_to_api
async def close_command(call: Call, alert: Id) -> None:
    """Close an alert; a condition that still holds opens a new one. Example: headrace alerts close 0198c0de"""
    async with call.api() as api:
        found = await find_alert(api, alert)
        done = await api.post(f"/alerts/{found['id']}/close")
        call.show.said(f"closed: {done['what']}", done)


@app.command("deliveries")
@speaks_to_api
async def deliveries_command(
    call: Call,
    notice: Annotated[str | None, typer.Option("--notice", help="Only attempts of the notice with this id.")] = None,
    limit: Limit = 50,
    everything: All = False,
) -> None:
    """List the attempts to send notices, newest first. Example: headrace alerts deliveries --limit 10"""
    async with call.api() as api:
        items = api.items("/alerts/deliveries", limit=how_many(limit, everything), notice_id=notice)
        call.show.table([one async for one in items], DELIVERY_COLUMNS, empty="nothing was sent yet")


app.command("test")(alerts_targets.try_out)


def state_of(alert: Mapping[str, Any]) -> str:
    """Whether it is open, and what people did about it."""
    if alert["closed_at"] is not None:
        return "closed" if alert["closed_by"] else "recovered"
    return "acknowledged" if alert["acknowledged_at"] else "escalated" if alert["escalated_at"] else "open"


def _rows(alert: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [
        ("id", alert["id"]),
        ("what", alert["what"]),
        ("state", state_of(alert)),
        ("rule", f"{alert['rule']} ({alert['kind']})"),
        ("tenant", alert["tenant"] or "all"),
        ("subject", alert["subject"]),
        ("since", when(alert["since"])),
        ("last seen", when(alert["last_seen"])),
        ("job", alert["job_id"]),
        ("error", alert["error"]),
        ("told", f"{alert['notices']} times, last {when(alert['told_at'])}" if alert["told_at"] else "never"),
        ("escalated", when(alert["escalated_at"])),
        ("acknowledged", _by(alert, "acknowledged")),
        ("closed", _by(alert, "closed")),
    ]


def _by(alert: Mapping[str, Any], did: str) -> str | None:
    at, who = when(alert[f"{did}_at"]), alert[f"{did}_by"]
    return None if at is None else f"{at} by {who}" if who else at
