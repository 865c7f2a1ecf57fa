"""The commands of `headrace triggers` and `headrace schedules`: the same, over all triggers or those by time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from headrace.cli.core.call import speaks_to_api
from headrace.cli.core.options import Command, with_first, with_options
from headrace.cli.triggers import change as triggers_change
from headrace.cli.triggers import list as triggers_list
from headrace.cli.triggers import run as triggers_run
from headrace.cli.triggers.list import Group

COMMANDS: dict[str, Command] = {
    "list": triggers_list.list_them,
    "show": triggers_list.show_one,
    "create": triggers_change.create,
    "update": triggers_change.update,
    "enable": triggers_change.enable,
    "disable": triggers_change.disable,
    "delete": triggers_change.delete,
    "reset": triggers_change.reset,
    "fire": triggers_run.fire,
    "skip": triggers_run.skip,
    "preview": triggers_list.preview,
    "backfill": triggers_run.backfill,
    "fires": triggers_list.fires,
}


def add_commands(app: typer.Typer, group: Group, settings: Mapping[str, Any]) -> None:
    """All of them; `settings` are those that `create` and `update` take."""
    for name, function in COMMANDS.items():
        whole = with_options("settings", settings)(function) if name in ("create", "update") else function
        command = with_first(whole, group)
        command.__doc__ = (function.__doc__ or "").replace("GROUP", group.noun)
        app.command(name)(speaks_to_api(command))
