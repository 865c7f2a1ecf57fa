"""The command line's reference page, from the commands themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from headrace.cli.core.call import COMMON
from headrace.cli.main import COMMANDS, load

HEAD = """\
# The command line

`headrace COMMAND --help` says the same in a terminal. How to begin: [Use the command line](../how-to/command-line.md).

## Options of every command that speaks to the API

| option | what |
|---|---|
"""
EXITS = """
## Exit codes

| code | when |
|---|---|
| 0 | done, or a group was called alone and printed its help |
| 1 | the job or the action failed |
| 2 | bad usage, or a configuration that is not valid |
| 3 | not found |
| 4 | not allowed |
| 5 | cannot connect |
"""
# In the help as its last sentence or its last paragraph.
EXAMPLE = re.compile(r"Example: (headrace .+)")
TYPES = {str: "TEXT", int: "N", float: "N", Path: "FILE"}


def cli_page() -> str:
    """Every command, with its arguments, its options and an example."""
    commands = "".join(_section(name) for name in COMMANDS)
    return HEAD + "".join(_common()) + EXITS + commands


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that can be called, with its words."""
    for name in COMMANDS:
        yield from _within(name, load(name))


def _within(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from _within(f"{words} {name}", inner)


def example_of(command: Any) -> str | None:
    """The example in its help."""
    found = EXAMPLE.search(" ".join((command.help or "").split()))
    return found[1] if found else None


def _common() -> Iterator[str]:
    for parameter in load("stats").params:
        if parameter.name in COMMON:
            yield f"| `{_option(parameter)}` | {_text(parameter.help)} |\n"


def _section(name: str) -> str:
    parts = [f"\n## `headrace {name}`\n\n{COMMANDS[name][1]}\n"]
    parts += [_command(words, command) for words, command in commands() if words.split()[0] == name]
    return "".join(parts)


def _command(words: str, command: Any) -> str:
    about = EXAMPLE.sub("", "\n".join(line.strip() for line in (command.help or "").splitlines())).strip()
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    known = COMMON if {p.name for p in command.params} >= set(COMMON) else {}
    options = [p for p in command.params if p.param_type_name == "option" and p.name not in (*known, "help")]
    usage = " ".join([f"headrace {words}", *(_argument(p) for p in arguments), *(["[OPTIONS]"] if options else [])])
    text = f"\n### `{usage}`\n\n{about}\n"
    rows = [f"| `{_argument(p)}` | {_text(p.help)} |\n" for p in arguments]
    rows += [f"| `{_option(p)}` | {_text(p.help)}{_default(p)} |\n" for p in options]
    if rows:
        text += "\n| | |\n|---|---|\n" + "".join(rows)
    example = example_of(command)
    return text + (f"\n```sh\n{example}\n```\n" if example else "")


def _argument(parameter: Any) -> str:
    name = (parameter.metavar or parameter.name.upper()).strip("[]")
    name = f"{name}..." if parameter.nargs == -1 else name
    return name if parameter.required else f"[{name}]"


def _option(parameter: Any) -> str:
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar or _kind(parameter.type_descriptor.annotation)}"


def _kind(annotation: Any) -> str:
    if get_origin(annotation) is list:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) is Literal:
        return "|".join(map(str, get_args(annotation)))
    return TYPES.get(annotation, "TEXT")


def _default(parameter: Any) -> str:
    if parameter.is_flag or parameter.default in (None, "", [], ()):
        return " Required." if parameter.required else ""
    return f" Default `{parameter.default}`."


def _text(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
