"""`headrace triggers`: rules that enqueue jobs, by time, by event, or once."""

from __future__ import annotations

import typer

from headrace.cli import trigger_look, trigger_run
from headrace.cli.call import speaks_to_api
from headrace.cli.trigger_group import add_commands
from headrace.cli.trigger_look import Group
from headrace.cli.trigger_options import OTHER_RULES, SETTINGS, TIME_RULE

app = typer.Typer(no_args_is_help=True, help="Triggers of any kind.")
add_commands(app, Group("triggers"), {**TIME_RULE, **OTHER_RULES, **SETTINGS})
app.command("deliveries")(speaks_to_api(trigger_look.deliveries))
app.command("test-render")(speaks_to_api(trigger_run.try_template))
