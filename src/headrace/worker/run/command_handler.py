"""A command of the worker's own configuration: what it takes, and how an attempt of it is started."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Any

from headrace.config import CommandSettings
from headrace.errors import BadRequest, ConfigError
from headrace.executors.command.argv import build_argv, parse_argv
from headrace.executors.command.check_argv import check_argv, fill_defaults
from headrace.executors.command.launch import CommandLimits, Launch
from headrace.executors.command.preflight import preflight
from headrace.model.definition import Definition
from headrace.model.job.outcome import CannotRead, Fail, Retry
from headrace.model.job.record import ClaimedJob
from headrace.model.payload.schema import NOT_VALID, payload_check
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.fields import is_secret
from headrace.model.secret.masking import SHORTEST
from headrace.model.secret.schema import SecretSchema
from headrace.model.settings.definition import DEFAULT_MAX_ATTEMPTS, DeclaredSettings
from headrace.tracing import carried


class CommandHandler:
    """A definition of kind `command` with the argv that the file of this machine gives it."""

    in_loop = False

    def __init__(
        self,
        key: str,
        settings: CommandSettings,
        environ: Mapping[str, str] = os.environ,
        *,
        default_attempts: int = DEFAULT_MAX_ATTEMPTS,
    ) -> None:
        self.settings = settings
        self._environ = environ
        try:
            self._slots = parse_argv(settings.argv)
            self.secrets = SecretSchema(settings.args)
            check_argv(
                self._slots,
                settings.args,
                lambda name: is_secret(name, self.secrets),
                on_stdin=settings.stdin is not None,
            )
            self.secret_fields = encrypted_fields(self.secrets)
            declared = Definition(key, DeclaredSettings.of(settings), "command", settings.args)
            self.definition = declared.with_attempts(default_attempts)
        except BadRequest as error:
            raise ConfigError(f"commands.{key}: {error}") from None
        self._check = payload_check(json.dumps(settings.args))
        if (self._check({}) or "").startswith(NOT_VALID):
            raise ConfigError(f"commands.{key}.args: {self._check({})}")
        written = json.dumps([list(settings.argv), settings.user], sort_keys=True)
        self.argv_hash = hashlib.sha256(written.encode()).hexdigest()[:16]

    @property
    def key(self) -> str:
        return self.definition.key

    @property
    def passed_secrets(self) -> list[str]:
        """The values of the environment that must not be seen in what it prints."""
        return [self._environ[name] for name in self.settings.pass_env if name in self._environ]

    def problems(self, *, server_uid: int | None = None) -> list[str]:
        """What keeps it from running on this machine."""
        missing = [f"pass_env: {name} is not set here" for name in self.settings.pass_env if name not in self._environ]
        launch = self._launch([slot.prefix.encode() for slot in self._slots], {}, None)
        return missing + preflight(launch, server_uid=server_uid)

    def warnings(self) -> list[str]:
        """What its owner should know."""
        short = [name for name in self.settings.pass_env if 0 < len(self._environ.get(name, "").encode()) < SHORTEST]
        return [f"pass_env: the value of {name} is too short to be masked in what the command prints" for name in short]

    def launch(self, job: ClaimedJob) -> Launch:
        """How to start this job's attempt; what this worker's configuration refuses, another worker's may accept."""
        self._refuse_other_tenants(job.tenant)
        payload = json.loads(job.payload)
        problem = self._check(payload)
        if problem is not None:
            raise CannotRead(f"the payload does not fit: {problem} ({self.definition.about_version()})")
        scheduled_for = job.scheduled_for.isoformat() if job.scheduled_for else ""
        builtins = {"tenant": job.tenant, "job_id": str(job.id), "run": job.run, "scheduled_for": scheduled_for}
        try:
            argv = build_argv(self._slots, fill_defaults(payload, self.settings.args), builtins)
        except BadRequest as error:
            raise Fail(str(error)) from None
        about = {"HEADRACE_JOB_ID": str(job.id), "HEADRACE_RUN": str(job.run), "HEADRACE_TENANT": job.tenant}
        about |= carried.environment()
        stdin = job.payload.encode() if self.settings.stdin == "payload" else None
        return self._launch(argv, about, stdin)

    def _refuse_other_tenants(self, tenant: str) -> None:
        """The database may have another list, but nobody who writes the database decides what runs here."""
        if self.settings.tenants is not None and tenant not in self.settings.tenants:
            raise Retry(
                reason=f'this worker does not run the command for tenant "{tenant}": '
                f"add the tenant to tenants of [commands.{self.key}] in the worker's headrace.toml"
            )

    def _launch(self, argv: list[bytes], about: Mapping[str, str], stdin: bytes | None) -> Launch:
        settings = self.settings
        inherited = {name: self._environ[name] for name in ("PATH", *settings.pass_env) if name in self._environ}
        return Launch(
            argv=argv,
            env={**inherited, **settings.env, **about},
            stdin=stdin,
            merge_stderr=settings.merge_stderr,
            kill_grace=settings.kill_grace_seconds,
            limits=CommandLimits(
                memory_mb=settings.memory_mb,
                cpu_seconds=settings.cpu_seconds,
                file_size_mb=settings.file_size_mb,
                open_files=settings.open_files,
                max_processes=settings.max_processes,
            ),
            user=settings.user,
            result_file=settings.result == "file",
        )

    def argv_for(self, payload: Mapping[str, Any], builtins: Mapping[str, Any]) -> list[str]:
        """The argv that a payload would give, for people to look at."""
        problem = self._check(payload)
        if problem is not None:
            raise BadRequest(f"the payload does not fit: {problem}")
        slots = build_argv(self._slots, fill_defaults(payload, self.settings.args), builtins)
        return [argument.decode("utf-8", "backslashreplace") for argument in slots]
