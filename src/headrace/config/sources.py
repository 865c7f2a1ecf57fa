"""Where settings come from: the file, the environment and flags, each value with its source."""

from __future__ import annotations

import functools
import logging
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from headrace.config.keys import PREFIX, is_list, keys, variable
from headrace.config.toml_lines import key_lines
from headrace.config.trust import distrust, open_to_others
from headrace.errors import ConfigError

log = logging.getLogger("headrace.config")

FILE = "headrace.toml"
# Where the settings are, where a server is, and what a command's process is told of its job: it may call `headrace`.
NO_SETTINGS = {f"{PREFIX}{name}" for name in ("CONFIG", "JOB_ID", "RUN", "TENANT", "RESULT", "URL", "TOKEN")}
# The source of a variable that no setting has.
STRAY = "environment"


class Given(NamedTuple):
    """A value somebody gave, and where; `lines` has the lines of a file by path."""

    path: tuple[str, ...]
    value: Any
    source: str
    lines: Mapping[tuple[str, ...], int] = {}

    def where(self, path: tuple[str, ...] | None = None) -> str:
        """The source for people, with the line of this path, or of what it stands in."""
        path = path or self.path
        line = next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), None)
        return self.source if line is None else f"{self.source}:{line}"


def settings_file(file: Path | None = None, environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that is named, or the nearest one upwards from here that others could not have written."""
    environ = os.environ if environ is None else environ
    if named := file or environ.get("HEADRACE_CONFIG"):
        if reason := open_to_others(Path(named)):
            _warn(f"configuration file unsafe: {reason}, and commands in {named} run as this user")
        return Path(named)
    here = Path.cwd()
    for found in (folder / FILE for folder in (here, *here.parents)):
        if not found.is_file():
            continue
        if (reason := distrust(found)) is None:
            return found
        _warn(
            f"configuration file {found} ignored: {reason}. Give the file and its folder to this user or to root, "
            "writable by no one else, or name the file with --config or HEADRACE_CONFIG"
        )
    return None


@functools.cache
def _warn(sentence: str) -> None:
    """Once, however often a process reads its settings."""
    log.warning(sentence)


def from_file(file: Path | None) -> Iterator[Given]:
    """What the file says, key by key."""
    if file is None:
        return
    text = read_toml(file)
    lines = key_lines(text)
    for name, value in tomllib.loads(text).items():
        if isinstance(value, dict):
            yield from (Given((name, key), inner, str(file), lines) for key, inner in value.items())
        else:
            yield Given((name,), value, str(file), lines)


def read_toml(file: Path) -> str:
    """The text of a file that is valid TOML, or `ConfigError`."""
    try:
        text = file.read_text("utf-8")
        tomllib.loads(text)
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    return text


def from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    """What `HEADRACE_*` variables say; those that nobody knows are refused with all other problems."""
    known = {variable(path): path for path in keys()}
    for name in sorted(environ):
        if name in NO_SETTINGS or not name.startswith(PREFIX):
            continue
        if name not in known:
            yield Given((name,), environ[name], STRAY)
            continue
        value: Any = environ[name]
        if is_list(known[name]):
            value = [part.strip() for part in value.split(",") if part.strip()]
        yield Given(known[name], value, f"environment variable {name}")


def from_flags(flags: Mapping[str, Any]) -> Iterator[Given]:
    """What the caller says; a flag that was not given says nothing."""
    return (Given(tuple(key.split(".")), value, "flag") for key, value in flags.items() if value is not None)
