"""The commands of `headrace triggers` and `headrace schedules`: the same, over all triggers or those by time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from headrace.cli import trigger_change, trigger_look, trigger_run
from headrace.cli.call import speaks_to_api
from headrace.cli.options import Command, with_first, with_options
from headrace.cli.trigger_look import Group

COMMANDS: dict[str, Command] = {
    "list": trigger_look.list_them,
    "show": trigger_look.show_one,
    "create": trigger_change.create,
    "update": trigger_change.update,
    "enable": trigger_change.enable,
    "disable": trigger_change.disable,
    "delete": trigger_change.delete,
    "reset": trigger_change.reset,
    "fire": trigger_run.fire,
    "skip": trigger_run.skip,
    "preview": trigger_look.preview,
    "backfill": trigger_run.backfill,
    "history": trigger_look.history,
}


def add_commands(app: typer.Typer, group: Group, settings: Mapping[str, Any]) -> None:
    """All of them; `settings` are those that `create` and `update` take."""
    for name, function in COMMANDS.items():
        whole = with_options("settings", settings)(function) if name in ("create", "update") else function
        command = with_first(whole, group)
        command.__doc__ = (function.__doc__ or "").replace("GROUP", group.noun)
        app.command(name)(speaks_to_api(command))
