"""Everything that can be set: tables, keys, defaults and ranges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from headrace.config.prune_rows import PruneRowsSettings, PruneRule, check_rules, complete_rule
from headrace.config.section import Section
from headrace.model.settings.definition import DeclaredSettings


class DatabaseSettings(Section):
    """Where the jobs are."""

    url: str | None = Field(default=None, description="PostgreSQL 15 or newer; the embedded server when absent")
    pool_size: int = Field(default=10, ge=1, le=100, description="connections for enqueues and reads")
    pooler: Literal["auto", "none", "transaction"] = Field(
        default="auto", description="what stands before it: found out, nothing or a session pool, a transaction pool"
    )


class JobsSettings(Section):
    """How workers work."""

    enabled: bool = Field(default=True, description="whether an application that serves the API also runs jobs")
    queues: tuple[str, ...] = Field(default=("*",), description="queues that workers serve; * is every queue")
    worker_concurrency: int = Field(default=4, ge=1, le=1024, description="jobs at a time in a process")
    poll_interval_ms: int = Field(default=1000, ge=100, le=60_000, description="between looks when idle")
    lease_duration_s: float = Field(default=60, ge=5, le=3600, description="until a silent worker is lost")
    max_retries_default: int = Field(
        default=3, ge=0, le=100, description="of jobs declared without max_attempts, which is one more"
    )
    unreadable_after_s: float = Field(
        default=900, ge=0, le=2_592_000, description="until a job whose payload no worker can read is a dead letter"
    )
    shutdown_timeout_s: float = Field(default=30, ge=0, le=3600, description="for running jobs at the end")
    kill_grace_s: float = Field(default=5, ge=0, le=600, description="between asking a run to stop and ending it")
    scheduler_enabled: bool = Field(default=True, description="whether workers fire triggers and dispatch events")
    scheduler_tick_s: float = Field(
        default=15, ge=1, le=3600, description="longest sleep of the scheduler; without notifications it is a second"
    )

    @property
    def default_attempts(self) -> int:
        """Of a definition that does not say: the first attempt and its retries."""
        return self.max_retries_default + 1


class LogsSettings(Section):
    """How much of what jobs say is kept, and how our own processes speak."""

    max_lines: int = Field(
        default=10_000, ge=10, le=10_000_000, description="lines of one run; then only its last words"
    )
    max_mb: float = Field(default=4, ge=0.01, le=10_000, description="size of one run's lines")
    format: Literal["auto", "json", "text"] = Field(
        default="auto", description="of the log of a worker or server; by itself it is text in a terminal"
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="of that log: this and worse; debug has a line for each start and end of a job"
    )


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


class CommandProgram(Section):
    """The program of a command, and what it runs with."""

    argv: tuple[str | dict[str, Any], ...] = Field(
        min_length=1, description="the program, then a slot for each argument: a text, `{field}`, or `--name={field}`"
    )
    args: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "additionalProperties": False},
        description="JSON Schema of the payload; without it the payload is empty",
    )
    kill_grace_seconds: float = Field(default=5, ge=0, le=3600, description="between SIGTERM and SIGKILL to the tree")
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


class CommandSettings(DeclaredSettings, CommandProgram):
    """A command that jobs may run, by the key of its table."""

    # As all of the file: a number may be written as text.
    model_config = ConfigDict(strict=False)


class RetentionSettings(Section):
    """How long history is kept."""

    jobs_days: float = Field(
        default=30, ge=0.01, le=3650, description="ended jobs, unless their definition says for how long"
    )
    dead_letters_days: float = Field(default=90, ge=0.01, le=3650, description="dead letters, at least")
    logs_days: float = Field(default=14, ge=0.01, le=3650, description="what jobs printed and logged")
    fires_days: float = Field(default=30, ge=0.01, le=3650, description="what triggers fired and skipped")
    events_days: float = Field(default=7, ge=0.01, le=3650, description="events and their deliveries, once dispatched")
    rollups_days: float = Field(default=30, ge=0.01, le=3650, description="counts and histograms of each minute")
    tokens_days: float = Field(default=30, ge=0, le=3650, description="tokens that expired or were revoked")


class BuiltinSettings(Section):
    """Jobs that ship with Headrace."""

    enabled: bool = Field(default=True, description="whether workers run the built-in jobs and make their schedules")
    prune_rows: Annotated[dict[str, PruneRowsSettings], AfterValidator(check_rules)] = Field(
        default_factory=dict, description="rows of the application's own tables that go, by name"
    )

    def rules(self) -> dict[str, PruneRule]:
        """Each complete."""
        return {name: complete_rule(name, said) for name, said in self.prune_rows.items()}


class AlertsSettings(Section):
    """How notices of alerts are sent."""

    allow_private: bool = Field(default=False, description="whether webhooks may go to addresses of the own network")
    allow_hosts: tuple[str, ...] = Field(
        default=(), description="hosts, addresses and networks (10.1.0.0/16) to which they may all the same"
    )
    webhook_timeout_s: float = Field(default=10, ge=1, le=120, description="total timeout of one delivery")
    tls_ca: Path | None = Field(default=None, description="file of certificates to trust beside the usual ones")


class SmtpSettings(Section):
    """The server that takes e-mail."""

    host: str | None = Field(default=None, description="its name; without it no mail is sent")
    port: int = Field(default=587, ge=1, le=65_535, description="587 for starttls, 465 for tls as a rule")
    security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="encrypted after a greeting, from the start, or not at all"
    )
    tls_ca: Path | None = Field(default=None, description="file of certificates to trust; the system's if absent")
    user: str | None = Field(default=None, description="to log in as, if at all")
    password: str | None = Field(default=None, repr=False, description="of that user")
    sender: str | None = Field(default=None, description="address that mail is from")
    timeout_s: float = Field(default=20, ge=1, le=300, description="for each answer of it")


class ServerSettings(Section):
    """Where the API listens, and for whom."""

    host: str = Field(default="127.0.0.1", description="address to bind")
    port: int = Field(default=8720, ge=1, le=65_535, description="port to bind")
    metrics_public: bool = Field(default=False, description="whether `/metrics` answers without a token")
    allowed_hosts: tuple[str, ...] = Field(
        default=(), description="names that requests may call it by; `*` is any; its address and localhost always may"
    )
    max_connections: int = Field(
        default=900,
        ge=16,
        le=1_000_000,
        description="connections at once; fewer where the system allows fewer open files",
    )
    max_body_memory_mb: int = Field(
        default=128, ge=64, le=65_536, description="memory for large request bodies, of all requests together"
    )
    public_url: str | None = Field(default=None, description="where people reach it, for links in notices")
    tls_certificate: Path | None = Field(default=None, description="file of the certificate chain, for https")
    tls_key: Path | None = Field(default=None, description="file of its private key")


class SecuritySettings(Section):
    """Who may come in, and for how long."""

    token_max_days: float | None = Field(
        default=None, gt=0, le=3650, description="longest life of a new token; without it tokens may live for ever"
    )


class Settings(Section):
    """Everything that can be set."""

    app: str | None = Field(
        default=None,
        max_length=100,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:@/-]*$",
        description="name of the app whose jobs these are, one for each service; the project's name when absent",
    )
    data_dir: Path = Field(default=Path(".headrace"), description="folder of the embedded server")
    secret_key: str | None = Field(
        default=None, repr=False, description="keys for x-secret fields: 32 bytes each in base64; the first encrypts"
    )
    database: DatabaseSettings = DatabaseSettings()
    jobs: JobsSettings = JobsSettings()
    logs: LogsSettings = LogsSettings()
    sql: SqlSettings = SqlSettings()
    retention: RetentionSettings = RetentionSettings()
    builtin: BuiltinSettings = BuiltinSettings()
    alerts: AlertsSettings = AlertsSettings()
    smtp: SmtpSettings = SmtpSettings()
    server: ServerSettings = ServerSettings()
    security: SecuritySettings = SecuritySettings()
    commands: dict[str, CommandSettings] = Field(default_factory=dict, description="commands that jobs may run, by key")
