"""From sources to one typed object, or to every problem at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pydantic

from headrace.config.keys import allowed, field_of, keys, masked, variable
from headrace.config.settings import Settings
from headrace.config.sources import STRAY, Given, from_environment, from_file, from_flags, settings_file
from headrace.errors import ConfigError


def load_settings(
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """The settings, or one `ConfigError` that names every problem with its source and the allowed range."""
    return explain_settings(flags=flags, environ=environ, file=file)[0]


def explain_settings(
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> tuple[Settings, dict[tuple[str, ...], Given]]:
    """The settings, and of each that somebody gave who said it last."""
    environ = os.environ if environ is None else environ
    given = [*from_file(settings_file(file, environ)), *from_environment(environ), *from_flags(flags or {})]
    sources = {one.path: one for one in given}
    try:
        return Settings.model_validate(_nested(given)), sources
    except pydantic.ValidationError as error:
        found = [_problem(e, sources) for e in error.errors(include_url=False)]
        raise ConfigError("\n".join(found)) from None


def _problem(error: Any, sources: Mapping[tuple[str, ...], Given]) -> str:
    path = tuple(str(part) for part in error["loc"])
    known = next((sources[path[:n]] for n in range(len(path), 0, -1) if path[:n] in sources), None)
    known = known or next((one for one in sources.values() if one.path[: len(path)] == path), None)
    where = known.where(path) if known else "configuration"
    if error["type"] == "extra_forbidden":
        return f"{'.'.join(path)} ({where}): unknown {_suggestion(path, stray=where == STRAY)}"
    field = field_of(path)
    limits = f" (allowed: {allowed(field)})" if field is not None else ""
    return f"{'.'.join(path)} = {masked(path, error['input'])!r} ({where}): {error['msg']}{limits}"


def _suggestion(path: tuple[str, ...], *, stray: bool) -> str:
    what, name_of = ("variable", variable) if stray else ("key", ".".join)
    near = get_close_matches(".".join(path), [name_of(p) for p in keys()], n=1)
    return what + (f"; did you mean {near[0]}?" if near else "")


def _nested(given: Sequence[Given]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for path, value, *_ in given:
        table = result
        for part in path[:-1]:
            table = table.setdefault(part, {})
        if isinstance(table, dict):  # else a value stands where a table belongs, which is refused
            table[path[-1]] = value
    return result
