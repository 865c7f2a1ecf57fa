"""`headrace schedules`: triggers by time."""

from __future__ import annotations

import typer

from headrace.cli.find_trigger import TIME
from headrace.cli.trigger_group import add_commands
from headrace.cli.trigger_look import Group
from headrace.cli.trigger_options import SETTINGS, TIME_RULE

app = typer.Typer(no_args_is_help=True, help="Triggers by time.")
add_commands(app, Group("schedules", TIME), {**TIME_RULE, **SETTINGS})
