"""What an app is called when nobody says: by its project, or by the distribution that it was installed from."""

from __future__ import annotations

import sys
import sysconfig
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from headrace.define.sync import UNNAMED


def name_of(function: Callable[..., Any] | None) -> str:
    """The name of the project that declares this function; without one, of the project of the working directory."""
    module = getattr(function, "__module__", None)
    file = getattr(sys.modules.get(module or ""), "__file__", None)
    if module is None or file is None:
        return _project(Path.cwd()) or UNNAMED
    folder = Path(file).absolute().parent
    if _is_installed(folder):
        # Not its project: a virtual environment often lies within somebody else's.
        return _distribution(module) or UNNAMED
    return _project(folder) or _distribution(module) or UNNAMED


def _project(folder: Path) -> str | None:
    """The name in the nearest pyproject.toml upwards that has one."""
    for above in (folder, *folder.parents):
        try:
            said = tomllib.loads((above / "pyproject.toml").read_text("utf-8"))
        except (OSError, ValueError):
            continue
        for table in (said.get("project"), said.get("tool", {}).get("poetry")):
            if isinstance(table, dict) and isinstance(table.get("name"), str):
                return str(table["name"])
    return None


def _is_installed(folder: Path) -> bool:
    return any(folder.is_relative_to(sysconfig.get_path(name)) for name in ("purelib", "platlib"))


@cache
def _distribution(module: str) -> str | None:
    """The first by name, where several share a package."""
    return min(packages_distributions().get(module.partition(".")[0], ()), default=None)
