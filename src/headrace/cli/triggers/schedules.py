"""`headrace schedules`: triggers by time."""

from __future__ import annotations

import typer

from headrace.cli.triggers.commands import add_commands
from headrace.cli.triggers.find import TIME
from headrace.cli.triggers.list import Group
from headrace.cli.triggers.options import OF_SCHEDULES

app = typer.Typer(no_args_is_help=True, help="Manage triggers by time.")
add_commands(app, Group("schedules", TIME), OF_SCHEDULES)
