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
        default="auto",
        description="the pooler in front of the database: auto detects it; none covers a session pool too",
    )


class JobsSettings(Section):
    """How workers work."""

    enabled: bool = Field(default=True, description="whether an application that serves the API also runs jobs")
    queues: tuple[str, ...] = Field(default=("*",), description="queues that workers serve; * is every queue")
    worker_concurrency: int = Field(default=4, ge=1, le=1024, description="jobs at a time in a process")
    poll_interval_ms: int = Field(default=1000, ge=100, le=60_000, description="how often an idle worker polls")
    lease_duration_s: float = Field(
        default=60, ge=5, le=3600, description="how long a silent worker keeps its lease; then the worker is lost"
    )
    max_retries_default: int = Field(
        default=3, ge=0, le=100, description="retries of jobs declared without max_attempts; max_attempts is one more"
    )
    unreadable_after_s: float = Field(
        default=900,
        ge=0,
        le=2_592_000,
        description="how long a job whose payload no worker can read waits; then the job is a dead letter",
    )
    shutdown_timeout_s: float = Field(
        default=30, ge=0, le=3600, description="how long running jobs may continue after a stop signal"
    )
    kill_grace_s: float = Field(
        default=5, ge=0, le=600, description="time between the request to stop an attempt and its forced end"
    )
    scheduler_enabled: bool = Field(default=True, description="whether workers fire triggers and dispatch events")
    scheduler_tick_s: float = Field(
        default=15,
        ge=1,
        le=3600,
        description="longest sleep of the scheduler; without notifications the sleep is a second",
    )

    @property
    def default_attempts(self) -> int:
        """Of a definition that does not say: the first attempt and its retries."""
        return self.max_retries_default + 1


class LogsSettings(Section):
    """How much of the jobs' logs is kept, and the format of Headrace's own log."""

    max_lines: int = Field(
        default=10_000,
        ge=10,
        le=10_000_000,
        description="most log lines of one attempt; of further lines only the last 8 KB are kept",
    )
    max_mb: float = Field(default=4, ge=0.01, le=10_000, description="most megabytes of log lines of one attempt")
    format: Literal["auto", "json", "text"] = Field(
        default="auto", description="format of the log of a worker or server; auto is text in a terminal, else json"
    )
    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info",
        description="minimum level of the log of a worker or server; debug logs each start and end of a job",
    )


class SqlSettings(Section):
    """Where SQL jobs run."""

    database_url: str | None = Field(
        default=None,
        description="login for SQL jobs; without a login SQL jobs are off; the embedded server makes one",
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
        min_length=1, description="the program, then an item for each argument: a text, `{field}`, or `--name={field}`"
    )
    args: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "additionalProperties": False},
        description="JSON Schema of the payload; without it the payload is empty",
    )
    kill_grace_seconds: float = Field(
        default=5, ge=0, le=3600, description="seconds between SIGTERM and SIGKILL to the process tree"
    )
    env: dict[str, str] = Field(default_factory=dict, description="variables with their values")
    pass_env: tuple[str, ...] = Field(
        default=(),
        description="variables of the worker that the command gets too; their values are masked in its output",
    )
    stdin: Literal["payload"] | None = Field(
        default=None, description="payload passes the payload as JSON; stdin is empty when absent"
    )
    merge_stderr: bool = Field(default=False, description="one stream in exact order, all of it as stdout")
    result: Literal["file", "last_line"] | None = Field(
        default=None,
        description="where the result is: JSON in `$HEADRACE_RESULT`, or stdout's last line if that is a JSON object",
    )
    progress: bool = Field(default=False, description="whether stdout lines `::progress 0.4 half way` are progress")
    exit_codes: ExitCodes = Field(
        default=ExitCodes(), description="meanings of exit codes; after other codes another attempt follows"
    )
    memory_mb: int | None = Field(default=None, ge=1, description="most data of each process (RLIMIT_DATA)")
    cpu_seconds: int | None = Field(default=None, ge=1, description="most processor time of each process")
    file_size_mb: int | None = Field(default=None, ge=0, description="largest size of each written file")
    open_files: int | None = Field(default=None, ge=3, description="most open descriptors of each process")
    max_processes: int | None = Field(
        default=None, ge=1, description="most processes of the command's user; for root, of the attempt, in a cgroup"
    )
    user: str | None = Field(default=None, description="user to run as; the worker must be root, or that user")


class CommandSettings(DeclaredSettings, CommandProgram):
    """A command that jobs may run, by the key of its table."""

    # As all of the file: a number may be written as text.
    model_config = ConfigDict(strict=False)


class RetentionSettings(Section):
    """How long history is kept."""

    jobs_days: float = Field(
        default=30, ge=0.01, le=3650, description="days of ended jobs, unless their definition has its own days"
    )
    dead_letters_days: float = Field(default=90, ge=0.01, le=3650, description="fewest days of dead letters")
    logs_days: float = Field(default=14, ge=0.01, le=3650, description="days of log lines of jobs")
    fires_days: float = Field(default=30, ge=0.01, le=3650, description="days of fires, and of ended bulk operations")
    events_days: float = Field(
        default=7, ge=0.01, le=3650, description="days of events and their deliveries, once dispatched"
    )
    rollups_days: float = Field(
        default=30, ge=0.01, le=3650, description="days of counts and histograms of each minute"
    )
    tokens_days: float = Field(default=30, ge=0, le=3650, description="days of tokens that expired or were revoked")
    audit_days: float = Field(default=365, ge=1, le=3650, description="days of rows of the audit")


class BuiltinSettings(Section):
    """Jobs that ship with Headrace."""

    enabled: bool = Field(default=True, description="whether workers run the built-in jobs and make their schedules")
    prune_rows: Annotated[dict[str, PruneRowsSettings], AfterValidator(check_rules)] = Field(
        default_factory=dict, description="rules that delete rows of the application's own tables, by name"
    )

    def rules(self) -> dict[str, PruneRule]:
        """Each rule, complete."""
        return {name: complete_rule(name, said) for name, said in self.prune_rows.items()}


class AlertsSettings(Section):
    """How notices of alerts are sent."""

    allow_private: bool = Field(default=False, description="whether webhooks may call addresses of the own network")
    allow_hosts: tuple[str, ...] = Field(
        default=(), description="hosts, addresses and networks (10.1.0.0/16) that webhooks may call all the same"
    )
    webhook_timeout_s: float = Field(default=10, ge=1, le=120, description="total timeout of one delivery")
    tls_ca: Path | None = Field(default=None, description="file of certificates to trust beside the usual ones")


class SmtpSettings(Section):
    """The server that sends e-mail."""

    host: str | None = Field(default=None, description="name of the mail server; without a name no mail is sent")
    port: int = Field(
        default=587, ge=1, le=65_535, description="port of the mail server; usually 587 for starttls, 465 for tls"
    )
    security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", description="encryption: after a greeting, from the start, or none"
    )
    tls_ca: Path | None = Field(default=None, description="file of certificates to trust; the system's if absent")
    user: str | None = Field(default=None, description="user of the login; no login when absent")
    password: str | None = Field(default=None, repr=False, description="password of that user")
    sender: str | None = Field(default=None, description="sender address of notices")
    timeout_s: float = Field(default=20, ge=1, le=300, description="timeout of each answer of the mail server")


class ServerSettings(Section):
    """Where the API listens, and which requests it accepts."""

    host: str = Field(default="127.0.0.1", description="address to bind")
    port: int = Field(default=8720, ge=1, le=65_535, description="port to bind")
    metrics_public: bool = Field(default=False, description="whether `/metrics` answers without a token")
    allowed_hosts: tuple[str, ...] = Field(
        default=(),
        description="host names that requests may use; `*` is any; the server accepts its address and localhost",
    )
    max_connections: int = Field(
        default=900,
        ge=16,
        le=1_000_000,
        description="most connections at once; fewer where the system allows fewer open files",
    )
    max_body_memory_mb: int = Field(
        default=128, ge=64, le=65_536, description="memory for large request bodies, of all requests together"
    )
    public_url: str | None = Field(
        default=None, description="address of the server for people, for links; with https cookies are for https only"
    )
    tls_certificate: Path | None = Field(default=None, description="file of the certificate chain, for https")
    tls_key: Path | None = Field(default=None, description="file of the certificate's private key")

    @property
    def is_https(self) -> bool:
        """Whether browsers speak https to it: with this server, or with a proxy before it."""
        return self.tls_certificate is not None or (self.public_url or "").lower().startswith("https://")


class SecuritySettings(Section):
    """Access to the API."""

    token_max_days: float | None = Field(
        default=None, gt=0, le=3650, description="longest life of a new token; without a limit tokens may live for ever"
    )


class Settings(Section):
    """Everything that can be set."""

    app: str | None = Field(
        default=None,
        max_length=100,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:@/-]*$",
        description="name of the app that declares the jobs, one for each service; the project's name when absent",
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
