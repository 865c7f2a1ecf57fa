"""A payload from the command line: as JSON, from a file, from stdin, or argument by argument."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from headrace.cli.core.schema_args import read_argument
from headrace.errors import BadRequest, NotFound

Payload = Annotated[
    str | None, typer.Option("--payload", "-p", metavar="JSON", help="The payload as JSON; - reads stdin.")
]
PayloadFile = Annotated[
    str | None, typer.Option("--payload-file", metavar="FILE", help="A file with the payload as JSON; - is stdin.")
]
Args = Annotated[
    list[str] | None,
    typer.Option("--arg", "-a", metavar="KEY=VALUE", help="One argument, read by the definition's schema. Repeatable."),
]


def read_payload(payload: str | None, file: str | None) -> dict[str, Any] | None:
    """What was given as JSON, none when nothing was, or `BadRequest` before anything is sent."""
    if payload is not None and file is not None:
        raise BadRequest("give --payload or --payload-file, not both")
    if file is not None:
        return json_object(_read(file), "--payload-file")
    if payload == "-":
        return json_object(sys.stdin.read(), "stdin")
    return None if payload is None else json_object(payload, "--payload")


def json_object(text: str, option: str) -> dict[str, Any]:
    """A JSON object, or `BadRequest` saying where the text stops being one."""
    try:
        value = json.loads(text, parse_constant=_not_json)
    except RecursionError:
        raise BadRequest(f"{option} is nested too deeply") from None
    except ValueError as error:
        raise BadRequest(f"{option} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequest(f'{option} must be a JSON object like {{"name": "value"}}')
    return value


def with_arguments(
    payload: dict[str, Any] | None, arguments: Sequence[str], schema: Mapping[str, Any]
) -> dict[str, Any]:
    """The payload with arguments given one by one, each of the type that the schema says."""
    result = dict(payload or {})
    given: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or not key:
            raise BadRequest(f"--arg is KEY=VALUE, not {argument!r}")
        given[key] = read_argument(key, text, schema, before=given.get(key))
    result.update(given)
    return result


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text("utf-8")
    except FileNotFoundError:
        raise NotFound(f"unknown file {file}") from None
    except (OSError, ValueError) as error:
        raise BadRequest(f"cannot read {file}: {error}") from None


def _not_json(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")
