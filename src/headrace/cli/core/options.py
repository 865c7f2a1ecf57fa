"""Options that several commands share, and commands that share several options."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from operator import getitem
from typing import Annotated, Any, get_args, get_type_hints

import typer
from pydantic.fields import FieldInfo

from headrace.cli.output.tables import clean
from headrace.errors import BadRequest

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="The most items to list.")]
All = Annotated[bool, typer.Option("--all", help="List all items.")]
System = Annotated[bool, typer.Option("--system", help="Include Headrace's own.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
Command = Callable[..., Awaitable[None]]


def how_many(limit: int, everything: bool) -> int | None:
    """The limit, or none."""
    return None if everything else limit


def whole_or_none(text: str, option: str) -> int | None:
    """A limit as people type it, or `BadRequest`."""
    if text.lower() == "none":
        return None
    if not text.isdecimal():
        raise BadRequest(f"{option} is a whole number, or none to remove the limit, not {text!r}")
    return int(text)


def confirm(question: str, *, yes: bool) -> None:
    """Ask a person; where there is none, the answer must have been given before. No is `typer.Abort`."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise BadRequest(f"{question} There is no terminal to answer: add --yes")
    typer.confirm(clean(question), abort=True, err=True)


def with_options(name: str, options: Mapping[str, Any]) -> Callable[[Command], Command]:
    """Give a command a group of options, which it gets as one dictionary `name` of those that were said."""

    def decorate(function: Command) -> Command:
        async def command(*args: Any, **given: Any) -> None:
            taken = {option: given.pop(option) for option in options}
            said = {option: value for option, value in taken.items() if _is_said(value)}
            await function(*args, **given, **{name: said})

        own = [p for p in inspect.signature(function, eval_str=True).parameters.values() if p.name != name]
        return _as(function, command, [*own, *(_parameter(*pair) for pair in options.items())])

    return decorate


def options_of(request: type, *, besides: Collection[str], short: Mapping[str, str]) -> dict[str, Any]:
    """An option for each field of a request, with the field's range and words."""
    hints = {name: get_args(hint) for name, hint in get_type_hints(request, include_extras=True).items()}
    return {
        name: getitem(Annotated, (args[0] | None, _option(name, args[1], short.get(name))))
        for name, args in hints.items()
        if isinstance(args[-1], FieldInfo) and name not in besides
    }


def _option(name: str, field: FieldInfo, short: str | None) -> Any:
    bounds = {end: getattr(one, end) for one in field.metadata for end in ("ge", "le") if hasattr(one, end)}
    names = [f"--{name.replace('_', '-')}", *([short] if short else [])]
    return typer.Option(*names, min=bounds.get("ge"), max=bounds.get("le"), help=field.description)


def with_first(function: Command, first: object) -> Command:
    """A command that is called with something known before its own arguments."""

    async def command(*args: Any, **given: Any) -> None:
        await function(first, *args, **given)

    return _as(function, command, list(inspect.signature(function, eval_str=True).parameters.values())[1:])


def _is_said(value: Any) -> bool:
    return value is not None and value is not False and value != []


def _parameter(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _as(function: Command, command: Command, parameters: list[inspect.Parameter]) -> Command:
    """Known by the same name and words, with these parameters."""
    functools.update_wrapper(command, function)
    del vars(command)["__wrapped__"]  # or it would be asked for its parameters instead
    known = [p.name for p in parameters].index("call") + 1  # what is not said on the command line comes first
    parameters = parameters[:known] + [p.replace(kind=p.KEYWORD_ONLY) for p in parameters[known:]]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    vars(command)["__signature__"] = inspect.Signature(parameters)
    return command
