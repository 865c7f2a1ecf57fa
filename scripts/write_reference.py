"""Write what comes from the code: reference pages and dashboard types, by `make docs`. A test keeps these fresh."""

from __future__ import annotations

import json
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from scripts.api_reference import api_page
from scripts.api_types import api_types
from scripts.cli_reference import cli_page
from scripts.enqueue_options import ENQUEUE_OPTIONS, enqueue_options
from scripts.settings_options import OPTIONS, options_module
from scripts.settings_reference import settings_pages

from headrace.config import PRESETS, CommandSettings, PruneRowsSettings, field_of, keys, variable
from headrace.config.keys import limits

TYPES: dict[Any, str] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    float: "number",
    tuple: "list",
    dict: "table",
}
CONFIGURATION = Path(__file__).parents[1] / "docs" / "reference" / "configuration.md"

API = CONFIGURATION.with_name("api.md")
CLI = CONFIGURATION.with_name("cli.md")
API_TYPES = CONFIGURATION.parents[2] / "src" / "headrace" / "web" / "api_types.d.ts"

HEAD = """\
# Configuration

Settings are read once, in this order, and later sources win: `headrace.toml` (found upwards from the working directory,
or named by `--config` or `HEADRACE_CONFIG`), environment variables, then flags and arguments. Unknown keys and values
out of range are refused, all at once, each with its source: file and line, variable or flag. `headrace config show` has
each value and its source, `headrace config init` writes a file with every key. Lists in variables have commas.

A file that is found counts only if the file and its folder belong to this user or to root, and no other user can write
them. A group may write them if the group is this user's alone. Another file is ignored with a warning, and the search
continues upwards. A file that is named counts in any case, with a warning if others can write the file or its folder.
`dev`, `serve` and `worker` log at start which file they read.

| key | variable | default | allowed | what |
|---|---|---|---|---|
"""

COMMANDS = """
## Commands

A table `[commands.KEY]` for each [command](../how-to/commands.md) that jobs may run on this machine, in the file alone.
The key is that of the definition.

| key | type | default | allowed | what |
|---|---|---|---|---|
"""


PRUNE_ROWS = """
## Rows of your own tables

A table `[builtin.prune_rows.NAME]` for each rule of the [built-in job](../how-to/built-in-jobs.md) that deletes rows of
an application's own tables, in the file alone. Under the name of a ready rule an empty table is enough.

| key | type | default | allowed | what |
|---|---|---|---|---|
"""

READY = """
Ready rules:

| name | table | columns | retention_hours | cron |
|---|---|---|---|---|
"""


def configuration_page() -> str:
    """Every key of the settings, and of a command."""
    settings = "".join(_row(path) for path in keys())
    commands = "".join(_command_row(*one) for one in CommandSettings.model_fields.items())
    rules = "".join(_command_row(*one) for one in PruneRowsSettings.model_fields.items())
    return HEAD + settings + COMMANDS + commands + PRUNE_ROWS + rules + READY + "".join(map(_ready_row, PRESETS))


def _ready_row(name: str) -> str:
    rule = PRESETS[name]
    cells = (name, rule.table, ", ".join(rule.columns), f"{rule.retention_hours:g}", rule.cron)
    return f"| {' | '.join(f'`{cell}`' for cell in cells)} |\n"


def _command_row(name: str, field: FieldInfo) -> str:
    cells = (f"`{name}`", _type(field.annotation), _default(field), _allowed(field), field.description or "")
    return f"| {' | '.join(cells)} |\n"


def _type(annotation: Any) -> str:
    """In the words of TOML."""
    if get_origin(annotation) in (Union, UnionType):
        annotation = next(kind for kind in get_args(annotation) if kind is not type(None))
    if get_origin(annotation) is Literal:
        return " or ".join(f'`"{value}"`' for value in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    return TYPES[get_origin(annotation) or annotation]


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if field.is_required():
        return "required"
    if isinstance(value, BaseModel):
        value = value.model_dump()
    return "none" if value in (None, "", (), {}) else f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    """The value as one writes it in the file."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(inner)}' for key, inner in value.items())} }}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)


def _row(path: tuple[str, ...]) -> str:
    field = _field(path)
    default = field.default if not isinstance(field.default, tuple) else ",".join(field.default)
    cells = (
        f"`{'.'.join(path)}`",
        f"`{variable(path)}`",
        "none" if default is None else f"`{default}`",
        _allowed(field),
        field.description or "",
    )
    return f"| {' | '.join(cells)} |\n"


def _field(path: tuple[str, ...]) -> FieldInfo:
    field = field_of(path)
    assert field is not None, path  # noqa: S101 - one of `keys`
    return field


def _allowed(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    return limits(field)


if __name__ == "__main__":
    OPTIONS.write_text(options_module(), encoding="utf-8")
    ENQUEUE_OPTIONS.write_text(enqueue_options(), encoding="utf-8")
    CONFIGURATION.write_text(configuration_page(), encoding="utf-8")
    API.write_text(api_page(), encoding="utf-8")
    for name, page in settings_pages().items():
        CONFIGURATION.with_name(name).write_text(page, encoding="utf-8")
    CLI.write_text(cli_page(), encoding="utf-8")
    API_TYPES.write_text(api_types(), encoding="utf-8")
