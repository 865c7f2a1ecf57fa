"""Settings: `headrace.toml`, then `HEADRACE_*`, then flags; read once into one typed object."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pydantic
from pydantic import BaseModel, ConfigDict, Field

from headrace.errors import ConfigError

FILE = "headrace.toml"
PREFIX = "HEADRACE_"
# Where the settings are, and what a command's process is told of its job: it may call `headrace` itself.
NO_SETTINGS = {f"{PREFIX}{name}" for name in ("CONFIG", "JOB_ID", "RUN", "TENANT", "RESULT")}


class Section(BaseModel):
    """A table of the file. Unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class DatabaseSettings(Section):
    """Where the jobs are."""

    url: str | None = Field(default=None, description="PostgreSQL 15 or newer; the embedded server when absent")
    pool_size: int = Field(default=10, ge=1, le=100, description="connections for enqueues and reads")


class JobsSettings(Section):
    """How workers work."""

    queues: tuple[str, ...] = Field(default=("*",), description="queues that workers serve; * is every queue")
    worker_concurrency: int = Field(default=4, ge=1, le=1024, description="jobs at a time in a process")
    poll_interval_ms: int = Field(default=1000, ge=100, le=60_000, description="between looks when idle")
    lease_duration_s: float = Field(default=60, ge=5, le=3600, description="until a silent worker is lost")
    shutdown_timeout_s: float = Field(default=30, ge=0, le=3600, description="for running jobs at the end")
    kill_grace_s: float = Field(default=5, ge=0, le=600, description="between asking a run to stop and ending it")
    scheduler_enabled: bool = Field(default=True, description="whether workers fire triggers and dispatch events")


class LogsSettings(Section):
    """How much of what jobs say is kept."""

    max_lines: int = Field(
        default=10_000, ge=10, le=10_000_000, description="lines of one run; then only its last words"
    )
    max_mb: float = Field(default=4, ge=0.01, le=10_000, description="size of one run's lines")


class SqlSettings(Section):
    """Where SQL jobs run."""

    database_url: str | None = Field(
        default=None,
        description="a login for SQL jobs, which are off without; the embedded server makes one",
    )
    allowed_schemas: tuple[str, ...] = Field(default=("public",), description="schemas whose functions may be jobs")
    pool_size: int = Field(default=4, ge=1, le=100, description="SQL jobs at a time in a process")


class ExitCodes(Section):
    """What a command's exit code means; any other follows the retry policy."""

    success: tuple[int, ...] = (0,)
    retry: tuple[int, ...] = ()
    fail: tuple[int, ...] = ()


class CommandSettings(Section):
    """A command that jobs may run, by the key of its table."""

    argv: tuple[str | dict[str, Any], ...] = Field(
        min_length=1, description="the program, then a slot for each argument: a text, `{field}`, or `--name={field}`"
    )
    description: str = Field(default="", description="for people")
    args: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "additionalProperties": False},
        description="JSON Schema of the payload; without it the payload is empty",
    )
    timeout_seconds: float | None = Field(
        default=None, gt=0, le=31_536_000, description="then the whole process tree is ended"
    )
    kill_grace_seconds: float = Field(default=5, ge=0, le=3600, description="between SIGTERM and SIGKILL to the tree")
    max_attempts: int = Field(default=3, ge=1, le=1000, description="attempts, crashes counted")
    queue: str = Field(default="default", description="queue of its jobs")
    priority: int = Field(default=100, ge=0, le=1000, description="priority of its jobs")
    env: dict[str, str] = Field(default_factory=dict, description="variables with their values")
    pass_env: tuple[str, ...] = Field(
        default=(), description="variables of the worker that it gets too; their values are masked in its output"
    )
    stdin: Literal["payload"] | None = Field(
        default=None, description="hand over the payload as JSON; else it is empty"
    )
    merge_stderr: bool = Field(default=False, description="one stream in exact order, all of it as stdout")
    result: Literal["file", "last_line"] | None = Field(
        default=None, description="JSON in `$HEADRACE_RESULT`, or stdout's last line if it is a JSON object"
    )
    progress: bool = Field(default=False, description="stdout lines `::progress 0.4 half way` are progress")
    exit_codes: ExitCodes = Field(
        default=ExitCodes(), description="what exit codes mean; others are failures that are tried again"
    )
    memory_mb: int | None = Field(default=None, ge=1, description="data of each process (RLIMIT_DATA)")
    cpu_seconds: int | None = Field(default=None, ge=1, description="processor time of each process")
    file_size_mb: int | None = Field(default=None, ge=0, description="size of each file that it writes")
    open_files: int | None = Field(default=None, ge=3, description="descriptors of each process")
    max_processes: int | None = Field(
        default=None, ge=1, description="processes of its user; of the attempt where that is root, in a cgroup"
    )
    user: str | None = Field(default=None, description="user to run as; the worker must be root, or that user")


class RetentionSettings(Section):
    """How long history is kept."""

    logs_days: float = Field(default=14, ge=0.01, le=3650, description="what jobs printed and logged")
    ledger_days: float = Field(default=30, ge=0.01, le=3650, description="what triggers fired and skipped")
    events_days: float = Field(default=7, ge=0.01, le=3650, description="events and their deliveries, once dispatched")


class ServerSettings(Section):
    """Where the API and the dashboard will listen."""

    host: str = Field(default="127.0.0.1", description="address to bind")
    port: int = Field(default=8720, ge=1, le=65_535, description="port to bind")


class Settings(Section):
    """Everything that can be set."""

    data_dir: Path = Field(default=Path(".headrace"), description="folder of the embedded server")
    secret_key: str | None = Field(
        default=None, repr=False, description="keys for x-secret fields: 32 bytes each in base64; the first encrypts"
    )
    database: DatabaseSettings = DatabaseSettings()
    jobs: JobsSettings = JobsSettings()
    logs: LogsSettings = LogsSettings()
    sql: SqlSettings = SqlSettings()
    retention: RetentionSettings = RetentionSettings()
    server: ServerSettings = ServerSettings()
    commands: dict[str, CommandSettings] = Field(default_factory=dict, description="commands that jobs may run, by key")


class Given(NamedTuple):
    """A value somebody gave, and where."""

    path: tuple[str, ...]
    value: Any
    source: str


def load_settings(
    *,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
) -> Settings:
    """The settings, or one `ConfigError` that names every problem with its source and the allowed range."""
    environ = os.environ if environ is None else environ
    given = [
        *_from_file(file or _find_file(environ)),
        *_from_environment(environ),
        *(Given(tuple(key.split(".")), value, "flag") for key, value in (flags or {}).items() if value is not None),
    ]
    sources = {g.path: g.source for g in given}
    try:
        return Settings.model_validate(_nested(given))
    except pydantic.ValidationError as error:
        raise ConfigError("\n".join(_problem(e, sources) for e in error.errors(include_url=False))) from None


def _problem(error: Any, sources: Mapping[tuple[str, ...], str]) -> str:
    path = tuple(str(part) for part in error["loc"])
    known = next((path[:n] for n in range(len(path), 0, -1) if path[:n] in sources), path)
    where = sources.get(known, "configuration")
    if error["type"] == "extra_forbidden":
        what, name_of = ("variable", variable) if where == "environment" else ("key", ".".join)
        near = get_close_matches(".".join(path), [name_of(p) for p in keys()], n=1)
        return f"{'.'.join(path)} ({where}): unknown {what}" + (f"; did you mean {near[0]}?" if near else "")
    return f"{'.'.join(path)} = {error['input']!r} ({where}): {error['msg']}"


def keys(model: type[BaseModel] = Settings, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every setting."""
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from keys(field.annotation, (*above, name))
        elif name != "commands":  # tables of their own, in the file alone
            yield (*above, name)


def variable(path: tuple[str, ...]) -> str:
    """The environment variable of a setting."""
    return PREFIX + "_".join(path).upper()


def _find_file(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get("HEADRACE_CONFIG"):
        return Path(named)
    here = Path.cwd()
    return next((folder / FILE for folder in (here, *here.parents) if (folder / FILE).is_file()), None)


def _from_file(file: Path | None) -> Iterator[Given]:
    if file is None:
        return
    try:
        tables = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from (Given((name, key), inner, str(file)) for key, inner in value.items())
        else:
            yield Given((name,), value, str(file))


def _from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    known = {variable(path): path for path in keys()}
    for name in sorted(environ):
        if name in NO_SETTINGS or not name.startswith(PREFIX):
            continue
        if name not in known:
            yield Given((name,), environ[name], "environment")  # refused with all other problems
            continue
        value: Any = environ[name]
        if known[name][-1] in ("queues", "allowed_schemas"):
            value = [part.strip() for part in value.split(",") if part.strip()]
        yield Given(known[name], value, f"environment variable {name}")


def _nested(given: list[Given]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for path, value, _ in given:
        table = result
        for part in path[:-1]:
            table = table.setdefault(part, {})
        if isinstance(table, dict):  # else a value stands where a table belongs, which is refused
            table[path[-1]] = value
    return result
