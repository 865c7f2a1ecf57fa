"""From `module:name` on the command line to the application it names."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from headrace.app import Headrace
from headrace.errors import BadRequest


def load_app(target: str) -> Headrace:
    """Import the module, from the working directory too, and give back the `Headrace` in it."""
    module_name, _, attribute = target.partition(":")
    if not all(part.isidentifier() for part in module_name.split(".")):
        raise BadRequest(f"{target!r} is not a module:name, for example app:hr")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module_name}.".startswith(f"{error.name}."):
            raise  # the module is there, and imports something that is not
        raise BadRequest(f"unknown module {module_name!r}: neither here ({here}) nor installed") from None
    name = attribute or "hr"
    found = getattr(module, name, None)
    if not isinstance(found, Headrace):
        problem = "has no" if found is None else "has something else as"
        raise BadRequest(f"{module_name} {problem} {name!r}: give module:name of a Headrace object, for example app:hr")
    return found
