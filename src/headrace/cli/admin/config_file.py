"""The configuration file as a text that people keep: a template for it, and changes that leave the rest alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import MutableMapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pydantic
import tomlkit

from headrace.config import Settings, allowed, default_of, field_of, keys
from headrace.config.keys import is_list, limits
from headrace.config.sources import read_toml
from headrace.errors import BadRequest

HEAD = """\
# Settings of Headrace. Environment variables (HEADRACE_JOBS_WORKER_CONCURRENCY) and flags override this file.
# A value behind a # is the default: remove the # to change it. headrace config check lists problems.
"""
TAIL = """
# Programs that jobs may run on this machine, each under the key of its definition.
#[commands.say-hello]
#argv = ["echo", "hello {name}"]
#args = { type = "object", properties = { name = { type = "string" } }, required = ["name"] }
"""
PRIVATE = 0o600
# Of settings that are not there by default.
EXAMPLES = {
    "app": "shop",
    "secret_key": "the output of openssl rand -base64 32",
    "database.url": "postgresql://user:password@localhost:5432/jobs",
    "sql.database_url": "postgresql://headrace_sql:password@localhost:5432/jobs",
    "alerts.tls_ca": "own-ca.pem",
    "smtp.host": "smtp.example.com",
    "smtp.tls_ca": "own-ca.pem",
    "smtp.user": "jobs",
    "smtp.password": "better in HEADRACE_SMTP_PASSWORD",
    "smtp.sender": "Headrace <jobs@example.com>",
    "server.public_url": "https://jobs.example.com",
    "server.tls_certificate": "server.crt",
    "server.tls_key": "server.key",
    "security.token_max_days": 90,
}


def template() -> str:
    """A file that changes nothing, with every setting in it."""
    parts = [HEAD]
    for table, paths in groupby(keys(), key=lambda path: path[:-1]):
        parts.append(f"\n[{'.'.join(table)}]\n" if table else "\n")
        parts.extend(_lines(path) for path in paths)
    return "".join(parts) + TAIL


def _lines(path: tuple[str, ...]) -> str:
    field = field_of(path)
    assert field is not None, path  # noqa: S101 - one of `keys`
    default = default_of(path)
    none = "" if default is not None else " (none by default)"
    span = f"; {limits(field)}" if limits(field) else ""
    value = EXAMPLES[".".join(path)] if default is None else default
    return f"# {field.description}{span}{none}\n#{path[-1]} = {_toml(value)}\n"


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(str(value) if isinstance(value, Path) else value)


def change(file: Path, path: tuple[str, ...], text: str) -> Any:
    """Set one value, in a file that is made when it is missing; gives back what was written."""
    value = _read(path, text)
    document = tomlkit.parse(read_toml(file)) if file.exists() else tomlkit.document()
    table: Any = document
    for part in path[:-1]:
        if part not in table:
            table[part] = tomlkit.table()
        table = table[part]
        if not isinstance(table, MutableMapping):
            raise BadRequest(f"{file}: {part} is not a table; correct the file first")
    table[path[-1]] = value
    write(file, tomlkit.dumps(document))
    return value


def _read(path: tuple[str, ...], text: str) -> Any:
    """The value in the type of the setting, or `BadRequest` with what is allowed."""
    field = field_of(path)
    assert field is not None, path  # noqa: S101 - one of `keys`
    given: Any = text
    if is_list(path):
        given = [part.strip() for part in text.split(",") if part.strip()]
    nested: Any = given
    for part in reversed(path):
        nested = {part: nested}
    try:
        found: Any = Settings.model_validate(nested)
    except pydantic.ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise BadRequest(f"{'.'.join(path)} = {text!r}: {problem} (allowed: {allowed(field)})") from None
    for part in path:
        found = getattr(found, part)
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return list(found) if isinstance(found, tuple) else str(found) if isinstance(found, Path) else found


def write(file: Path, text: str) -> None:
    """All of it or nothing; it may have secrets, and so only its owner, who stays the same, reads it."""
    place = file.resolve()
    try:
        before = place.stat() if place.exists() else None
        handle, draft = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(text)
                if before is not None:
                    if before.st_uid != os.geteuid():
                        os.fchown(out.fileno(), before.st_uid, before.st_gid)
                    os.fchmod(out.fileno(), before.st_mode & PRIVATE)
            Path(draft).replace(place)
        finally:
            Path(draft).unlink(missing_ok=True)
    except OSError as error:
        raise BadRequest(f"{file} cannot be written: {error.strerror}") from None
