"""`headrace triggers`: rules that enqueue jobs, by time, by event, or once."""

from __future__ import annotations

import typer

from headrace.cli.core.call import speaks_to_api
from headrace.cli.triggers import list as triggers_list
from headrace.cli.triggers import run as triggers_run
from headrace.cli.triggers.commands import add_commands
from headrace.cli.triggers.list import Group
from headrace.cli.triggers.options import ALL

app = typer.Typer(no_args_is_help=True, help="Manage triggers of any kind.")
add_commands(app, Group("triggers"), ALL)
app.command("deliveries")(speaks_to_api(triggers_list.deliveries))
app.command("test-render")(speaks_to_api(triggers_run.try_template))
