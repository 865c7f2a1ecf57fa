"""`[builtin.prune_rows.NAME]`: which rows of an application's own tables go, with rules that are ready to use."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pydantic import Field, field_validator

from headrace.config.section import Section

TABLE = r"^([A-Za-z_][A-Za-z0-9_$]{0,62}\.)?[A-Za-z_][A-Za-z0-9_$]{0,62}$"
COLUMN = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")
# What is not an application's.
OTHERS = ("headrace", "information_schema", "pg_")


class PruneRule(NamedTuple):
    """A rule, complete. Not `all_columns`: a table that lacks one is judged by the others."""

    table: str
    columns: tuple[str, ...]
    retention_hours: float
    batch_size: int = 1000
    cron: str = "0 4 * * *"
    all_columns: bool = True


EXPIRES = ("expires_at",)
PRESETS = {
    "sessions": PruneRule("sessions", ("expires_at", "revoked_at"), 0, cron="0 * * * *", all_columns=False),
    "oauth_tokens": PruneRule("oauth_tokens", ("expires_at", "revoked_at"), 24, all_columns=False),
    "oauth_authorization_codes": PruneRule(
        "oauth_authorization_codes", ("expires_at", "used_at"), 24, all_columns=False
    ),
    "magic_links": PruneRule("magic_links", EXPIRES, 0, cron="0 5 * * *"),
    "password_resets": PruneRule("password_resets", EXPIRES, 0, cron="0 5 * * *"),
    "webhook_deliveries": PruneRule("webhook_deliveries", ("created_at",), 168, cron="0 3 * * *"),
}


class PruneRowsSettings(Section):
    """What goes of one table, and when; under the name of a ready rule, what differs from it."""

    table: str | None = Field(
        default=None, pattern=TABLE, description="the table, with its schema unless that is public"
    )
    columns: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        description="times: a row is deleted when any of them is longer ago than retention_hours",
    )
    retention_hours: float | None = Field(
        default=None, ge=0, le=876_000, description="how long a row stays after that time"
    )
    batch_size: int | None = Field(default=None, ge=1, le=100_000, description="rows that are deleted at a time")
    cron: str | None = Field(default=None, description="cron rule of the schedule that the first start makes")

    @field_validator("table")
    @classmethod
    def _an_applications_own(cls, table: str | None) -> str | None:
        if table is not None and "." in table and table.lower().startswith(OTHERS):
            raise ValueError("not one of the application's own tables")
        return table

    @field_validator("columns")
    @classmethod
    def _names(cls, columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for column in columns or ():
            if not COLUMN.fullmatch(column):
                raise ValueError(f"{column!r} is not the name of a column")
        return columns


def complete_rule(name: str, said: PruneRowsSettings) -> PruneRule:
    """The ready rule of that name with what was said in its place; or `ValueError` with what is missing."""
    given: dict[str, Any] = {key: value for key, value in said.model_dump().items() if value is not None}
    if "columns" in given:
        given["all_columns"] = True
    if name in PRESETS:
        return PRESETS[name]._replace(**given)
    if missing := [key for key in ("table", "columns", "retention_hours") if key not in given]:
        ready = ", ".join(PRESETS)
        raise ValueError(f"{name}: {', '.join(missing)} is missing, and {name} is not a ready rule ({ready})")
    return PruneRule(**given)


def check_rules(rules: dict[str, PruneRowsSettings]) -> dict[str, PruneRowsSettings]:
    """Refuse a name or a rule that will not do."""
    for name, said in rules.items():
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name):
            raise ValueError(f"{name!r} is not a name: letters, digits, _ and -")
        complete_rule(name, said)
    return rules
