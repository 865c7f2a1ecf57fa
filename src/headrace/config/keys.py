"""The keys of the settings: their names, their variables, and what is allowed, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from headrace.config.passwords import MASK, mask_passwords
from headrace.config.settings import Settings

Path_ = tuple[str, ...]
PREFIX = "HEADRACE_"
SECRET = {("secret_key",), ("smtp", "password")}
# Tables under names of their own, in the file alone.
TABLES = ("commands", "prune_rows")
_WORDS: dict[Any, str] = {bool: "true or false", int: "an integer", float: "a number", str: "a text", Path: "a path"}


def keys(model: type[BaseModel] = Settings, above: Path_ = ()) -> Iterator[Path_]:
    """The path of every setting."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys(field.annotation, (*above, name))
        elif name not in TABLES:
            yield (*above, name)


def variable(path: Path_) -> str:
    """The environment variable of a setting."""
    return PREFIX + "_".join(path).upper()


def field_of(path: Path_) -> FieldInfo | None:
    """The field behind a path, also behind one of a command; none for a path that there is not."""
    model: Any = Settings
    for part in path[:-1]:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            model = get_args(model)[-1] if get_origin(model) is dict else None
        elif part in model.model_fields:
            model = model.model_fields[part].annotation
        else:
            return None
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return None
    return model.model_fields.get(path[-1])


def is_list(path: Path_) -> bool:
    """Whether it is several values, which an environment variable separates by commas."""
    field = field_of(path)
    return field is not None and get_origin(field.annotation) is tuple


def allowed(field: FieldInfo) -> str:
    """What it may be: `an integer, 1 to 1024`."""
    span = limits(field)
    return _kind(field.annotation) + (f", {span}" if span else "")


def limits(field: FieldInfo) -> str:
    """The range of a number; empty when there is none."""
    bounds = {
        name: getattr(rule, name) for rule in field.metadata for name in ("gt", "ge", "le") if hasattr(rule, name)
    }
    match bounds:
        case {"ge": least, "le": most}:
            return f"{least} to {most}"
        case {"gt": least, "le": most}:
            return f"over {least}, to {most}"
        case {"ge": least}:
            return f"{least} or more"
    return ""


def _kind(annotation: Any) -> str:
    if get_origin(annotation) in (Union, UnionType):
        return " or ".join(_kind(kind) for kind in get_args(annotation) if kind is not NoneType)
    if get_origin(annotation) is Literal:
        return " or ".join(f'"{value}"' for value in get_args(annotation))
    if get_origin(annotation) is tuple:
        return "a list"
    return _WORDS.get(annotation, "a table")


def default_of(path: Path_) -> Any:
    """What it is when nobody says."""
    field = field_of(path)
    return None if field is None else field.get_default(call_default_factory=True)


def masked(path: Path_, value: Any) -> Any:
    """The value for people to see: without secrets, and without the passwords of addresses."""
    if value is None:
        return None
    if path in SECRET or (path[0] == "commands" and "env" in path):
        return MASK
    if isinstance(value, str):
        return mask_passwords(value)
    if isinstance(value, dict):
        return {key: masked((*path, str(key)), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [masked(path, inner) for inner in value]
    return value
