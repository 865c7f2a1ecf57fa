"""How triggers, their fires and their deliveries are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from headrace.cli.output.tables import Column, ago, as_json, one_line, overridden, span, when
from headrace.cli.triggers.options import OPTIONS, RULES
from headrace.model.settings.setting import Setting

Trigger = Mapping[str, Any]
STATES = {
    "deleted_from_code": "gone",
    "definition_disabled": "disabled",
    "secret_fields": "error",
    "tenant_not_allowed": "barred",
    "no_worker": "no worker",
}
OBSTACLES = {
    "deleted_from_code": "the definition {} was deleted: the trigger makes no jobs",
    "definition_disabled": "the definition {} is disabled: the trigger makes no jobs",
    "secret_fields": "the definition {} has secret fields, which no trigger can fill",
    "tenant_not_allowed": "the tenant may not run the definition {}: the trigger makes no jobs",
    "no_worker": "no live worker knows the definition {}",
}


def trigger_columns(triggers: Sequence[Trigger]) -> list[Column]:
    """With the tenant where there is more than the default one."""
    tenants = [Column("tenant", lambda trigger: trigger["tenant"], elastic=True)]
    return [
        Column("name", lambda trigger: trigger["name"], elastic=True),
        *(tenants if any(trigger["tenant"] != "default" for trigger in triggers) else []),
        Column("definition", lambda trigger: trigger["definition"], elastic=True),
        Column("rule", rule, elastic=True),
        Column("state", state),
        Column("next", lambda trigger: ago(trigger["next_run_at"]) if trigger["enabled"] else "-", right=True),
        Column("last", lambda trigger: _past(trigger["last_run_at"]), right=True),
        Column("runs", lambda trigger: trigger["runs"], right=True, spare=True),
        Column("note", lambda trigger: one_line(note(trigger)), elastic=True),
    ]


def rule(trigger: Trigger) -> str:
    """When it fires, in its own words."""
    if trigger["trigger_type"] == "event":
        return f"on {trigger['event']}"
    if trigger["trigger_type"] == "init":
        return f"once {trigger['init_version']}".strip()
    if trigger["cron"] is None:
        return f"every {span(trigger['every_seconds'])}"
    zone = "" if trigger["timezone"] == "UTC" else f" {trigger['timezone']}"
    return f"{trigger['cron']}{zone}"


def state(trigger: Trigger) -> str:
    """Whether it fires."""
    if not trigger["enabled"]:
        return "off"
    if trigger["obstacle"] is not None:
        return STATES[trigger["obstacle"]]
    return "error" if trigger["last_error"] else "on"


def note(trigger: Trigger) -> str:
    """Why it does not fire, or to no avail."""
    said = OBSTACLES.get(trigger["obstacle"], "").format(trigger["definition"])
    return said or trigger["last_error"] or trigger["pause_note"] or ""


def trigger_rows(trigger: Trigger) -> list[tuple[str, Any]]:
    """All that there is to know of one."""
    return [
        ("name", trigger["name"]),
        ("id", trigger["id"]),
        ("tenant", trigger["tenant"]),
        ("definition", trigger["definition"]),
        ("rule", rule(trigger)),
        ("state", f"{state(trigger)} {trigger['pause_note'] or ''}".strip()),
        ("obstacle", OBSTACLES.get(trigger["obstacle"], "").format(trigger["definition"]) or None),
        ("error", trigger["last_error"]),
        ("next", when(trigger["next_run_at"]) if trigger["enabled"] else None),
        ("last", when(trigger["last_run_at"])),
        ("fires", f"{trigger['fires']:,}" + (f" of {trigger['max_fires']:,}" if trigger["max_fires"] else "")),
        ("runs", f"{trigger['runs']:,}, with runs by hand"),
        *_settings(trigger),
        ("code", f"of {trigger['app']}" if trigger["app"] else None),
        ("overrides", overridden(trigger["overrides"])),
        ("created", when(trigger["created_at"])),
        ("by", trigger["created_by"]),
    ]


def _settings(trigger: Trigger) -> list[tuple[str, Any]]:
    """A row for each setting that this type has and the rule does not say."""
    others = {name: one for name, one in OPTIONS.items() if name not in (*RULES, "timezone")}
    return [
        (name.replace("_", " "), _value(setting, trigger[setting.name]))
        for name, setting in others.items()
        if setting.is_of(trigger["trigger_type"])
    ]


def _value(setting: Setting, value: Any) -> Any:
    if value is None:
        return None
    match setting.kind:
        case "duration":
            return span(value) if value else None
        case "moment":
            return when(value)
        case "json":
            return as_json(value, indent=2)
    return value


FIRE_COLUMNS = [
    Column("due", lambda fire: _moment(fire["due_at"])),
    Column("outcome", lambda fire: fire["outcome"]),
    Column("job", lambda fire: fire["job_id"], narrow=lambda fire: fire["job_id"] and fire["job_id"][-12:]),
    Column("by", lambda fire: fire["triggered_by"], spare=True),
    Column("late", lambda fire: _late(fire), right=True, spare=True),
    Column("why", lambda fire: _why(fire), elastic=True),
]
DELIVERY_COLUMNS = [
    Column("event", lambda delivery: delivery["event"], elastic=True),
    Column("emitted", lambda delivery: f"{ago(delivery['emitted_at'])} ago", right=True),
    Column("outcome", lambda delivery: delivery["outcome"]),
    Column("job", lambda one: one["job_id"], narrow=lambda one: one["job_id"] and one["job_id"][-12:]),
    Column("why", lambda one: ": ".join(filter(None, (one["reason"], one["detail"]))), elastic=True),
]


def time_columns(timezone: str) -> list[Column]:
    """Due times, also as clocks in the zone show them."""
    zone = ZoneInfo(timezone)

    def there(time: Mapping[str, Any]) -> str:
        return f"{datetime.fromisoformat(time['due_at']).astimezone(zone):%a %Y-%m-%d %H:%M:%S}"

    return [
        Column("due", lambda time: _moment(time["due_at"])),
        *([Column(timezone, there)] if timezone != "UTC" else []),
        Column("in", lambda time: ago(time["due_at"]).removeprefix("in "), right=True),
        Column("note", lambda time: time["note"] or "", elastic=True),
    ]


def _past(at: str | None) -> str:
    return "-" if at is None else f"{ago(at)} ago"


def _moment(at: str) -> str:
    return at.replace("T", " ").partition(".")[0].removesuffix("Z") + " UTC"


def _late(fire: Mapping[str, Any]) -> str:
    from headrace.cli.output.tables import between

    return between(fire["due_at"], fire["at"]) if fire["at"] >= fire["due_at"] else "-"


def _why(fire: Mapping[str, Any]) -> str:
    many = f"{fire['n']:,} times until {_moment(fire['until'])}" if fire["until"] else None
    return ", ".join(filter(None, (fire["reason"], fire["detail"], many)))
