"""How definitions are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.cli.core.schema_args import schema_types
from headrace.cli.output.tables import Column, as_json, one_line, overridden, span, when
from headrace.model.rate import rate_text

if TYPE_CHECKING:
    from headrace.model.settings.setting import Setting

Definition = Mapping[str, Any]


def state(definition: Definition) -> str:
    """Whether its jobs run; not known to those who may only run it."""
    if "enabled" not in definition:
        return "-"
    if definition["deleted_from_code_at"] is not None:
        return "deleted"
    if not definition["enabled"]:
        return "off"
    return "paused" if definition.get("paused") else "on"


COLUMNS = [
    Column("key", lambda one: one["key"], elastic=True),
    Column("kind", lambda one: one["kind"]),
    Column("state", state),
    Column("queue", lambda one: one["queue"]),
    Column("priority", lambda one: one["priority"], right=True, spare=True),
    Column("attempts", lambda one: one["max_attempts"], right=True, spare=True),
    Column("timeout", lambda one: span(one["timeout_seconds"]), right=True, spare=True),
    Column("workers", lambda one: len(one["workers"]) if "workers" in one else None, right=True),
    Column("description", lambda one: one_line(one["description"]) or "", elastic=True),
]


def definition_rows(definition: Definition) -> list[tuple[str, Any]]:
    """All that there is to know of one."""
    return [
        ("key", definition["key"]),
        ("kind", definition["kind"]),
        ("description", definition["description"]),
        ("state", None if "enabled" not in definition else state(definition)),
        ("app", definition.get("app")),
        ("function", definition.get("function")),
        ("tags", ", ".join(definition["tags"])),
        *_settings(definition),
        ("paused", _pause(definition.get("pause"))),
        ("changed here", overridden(definition.get("overrides", {}))),
        ("workers", ", ".join(definition.get("workers", []))),
        ("synced", when(definition.get("synced_at"))),
        ("deleted from code", when(definition.get("deleted_from_code_at"))),
        *_statistics(definition.get("statistics")),
        ("arguments", _arguments(definition)),
        ("schema", as_json(definition["payload_schema"], indent=2)),
    ]


def _settings(definition: Definition) -> list[tuple[str, Any]]:
    """A row for each setting, but one sentence for settings that are read together."""
    # Pydantic is loaded here, so that other commands start without it.
    from headrace.model.settings.definition import DefinitionSettings
    from headrace.model.settings.setting import settings_of

    told = {name for names, _ in SENTENCES.values() for name in names}
    alone = [setting for name, setting in settings_of(DefinitionSettings).items() if name not in told]
    rows = [(setting.option.replace("_", " "), _value(setting, definition[setting.name])) for setting in alone]
    return rows + [(title, sentence(definition)) for title, (_, sentence) in SENTENCES.items()]


def _value(setting: Setting, value: Any) -> Any:
    if value is None:
        return setting.none
    if setting.kind == "list":
        return ", ".join(value)
    return span(value) if setting.kind == "duration" else value


def _retries(definition: Definition) -> str:
    base, cap, jitter = (span(definition[name]) for name in RETRY)
    return f"after {base}, then longer up to {cap}, and up to {jitter} more at random"


def _pause(pause: Mapping[str, Any] | None) -> str | None:
    if pause is None:
        return None
    ends = f" until {when(pause['resume_at'])}" if pause["resume_at"] else ""
    return f"by {pause['paused_by']}{ends}" + (f": {pause['note']}" if pause["note"] else "")


def _limits(definition: Definition) -> str:
    said = []
    if definition["max_concurrency"] is not None:
        said.append(f"{definition['max_concurrency']:,} at once")
    if definition["max_concurrency_per_key"] is not None:
        said.append(f"{definition['max_concurrency_per_key']:,} at once for each {definition['concurrency_key']}")
    if definition["rate_limit"] is not None:
        rate = rate_text(definition["rate_limit"], definition["rate_period_seconds"])
        burst = f", up to {definition['rate_burst']:,} at once" if definition["rate_burst"] is not None else ""
        said.append(rate + burst + (f" for each {definition['concurrency_key']}" if definition["rate_per_key"] else ""))
    return "; ".join(said) or "none"


def _kept(definition: Definition) -> str:
    days, count = definition["retention_days"], definition["retention_count"]
    time = "as configured" if days is None else f"{days:g} days"
    return time if count is None else f"{time}, and the last {count:,}"


RETRY = tuple(f"retry_{name}_seconds" for name in ("base", "cap", "jitter"))
PER_KEY = ("concurrency_key", "max_concurrency_per_key")
RATE = ("rate_limit", "rate_period_seconds", "rate_burst", "rate_per_key")
SENTENCES: Mapping[str, tuple[tuple[str, ...], Callable[[Definition], str]]] = {
    "retries": (RETRY, _retries),
    "limits": (("max_concurrency", *PER_KEY, *RATE), _limits),
    "kept": (("retention_days", "retention_count"), _kept),
}


def _statistics(statistics: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    if statistics is None:
        return []
    counted = ("enqueued", "succeeded", "failed", "dead_letter", "canceled", "retried")
    day = {name: sum(hour[name] for hour in statistics["hours"]) for name in counted}
    took = [f"{name} {span(statistics[f'{name}_seconds'])}" for name in ("mean", "p50", "p95")]
    return [
        ("last day", ", ".join(f"{day[name]:,} {name.replace('_', ' ')}" for name in counted)),
        ("last 7 days", f"{statistics['runs']:,} runs" + (f", {', '.join(took)}" if statistics["runs"] else "")),
    ]


def _arguments(definition: Definition) -> str:
    schema = definition["payload_schema"]
    needed = set(schema.get("required", []))
    secret = set(definition["secret_fields"])
    return "\n".join(
        f"{name}: {' or '.join(sorted(schema_types(of, schema))) or 'anything'}"
        f"{'' if name in needed else ', optional'}{', secret' if name in secret else ''}"
        for name, of in schema.get("properties", {}).items()
    )
