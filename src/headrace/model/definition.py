"""What can be run, as code declares it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any, Literal

from headrace.model.job.retry import RetryPolicy
from headrace.model.limits import DefinitionLimits
from headrace.model.secret.defaults import without_secret_defaults
from headrace.model.secret.encrypted_arguments import CannotEncrypt, mark_encrypted
from headrace.model.settings.trigger import TriggerDeclaration
from headrace.model.system import SYSTEM_PREFIX

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
QUEUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
Kind = Literal["python", "command", "sql"]
Isolation = Literal["none", "process"]
# As `jobs.max_retries_default` is unless somebody sets it: three retries.
DEFAULT_MAX_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Definition:
    """A key, what it takes and how it runs, with the settings an operator may override."""

    key: str
    kind: Kind = "python"
    description: str = ""
    tags: tuple[str, ...] = ()
    payload_schema: dict[str, Any] = field(default_factory=dict)
    triggers: tuple[TriggerDeclaration, ...] = ()
    queue: str = "default"
    priority: int = 100
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    timeout: timedelta | None = None
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    limits: DefinitionLimits = field(default_factory=DefinitionLimits)
    retention_days: float | None = None
    retention_count: int | None = None
    system: bool = False

    def __post_init__(self) -> None:
        problems = _problems(self)
        try:
            schema = without_secret_defaults(mark_encrypted(self.payload_schema))
            object.__setattr__(self, "payload_schema", schema)
        except CannotEncrypt as error:
            problems.append(str(error))
        if problems:
            raise ValueError(f"definition {self.key!r}: {'; '.join(problems)}")

    @property
    def settings(self) -> dict[str, Any]:
        """The columns that code declares and an operator may change."""
        return {
            "queue": self.queue,
            "priority": self.priority,
            "max_attempts": self.max_attempts,
            "timeout_seconds": self.timeout.total_seconds() if self.timeout else None,
            "retry_base_seconds": self.retry.base.total_seconds(),
            "retry_cap_seconds": self.retry.cap.total_seconds(),
            "retry_jitter_seconds": self.retry.jitter.total_seconds(),
            **asdict(self.limits),
            "retention_days": None if self.retention_days is None else float(self.retention_days),
            "retention_count": self.retention_count,
        }

    @property
    def schema_version(self) -> str:
        """Changes when what a payload may be changes."""
        return hashlib.sha256(json.dumps(self.payload_schema, sort_keys=True, default=str).encode()).hexdigest()[:8]

    def about_version(self) -> str:
        """Which version this is, for people."""
        return f"this worker has version {self.schema_version} of {self.key!r}"

    @property
    def hash(self) -> str:
        """Changes when anything that is declared changes."""
        declared = {
            "key": self.key,
            "kind": self.kind,
            "description": self.description,
            "tags": self.tags,
            "schema": self.payload_schema,
            "triggers": [asdict(trigger) for trigger in self.triggers],
            "settings": self.settings,
        }
        return hashlib.sha256(json.dumps(declared, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _problems(definition: Definition) -> list[str]:
    found = []
    if not KEY.fullmatch(definition.key):
        found.append("a key has 1 to 200 of A-Z a-z 0-9 _ . : - and starts with a letter or digit")
    if definition.key.startswith(SYSTEM_PREFIX) and not definition.system:
        found.append(f"keys that begin with {SYSTEM_PREFIX} are those of built-in jobs")
    if not QUEUE.fullmatch(definition.queue):
        found.append(f"queue {definition.queue!r} is not a valid name")
    if not 0 <= definition.priority <= 1000:
        found.append(f"priority {definition.priority} is out of range (0 to 1000, lower runs first)")
    if not 1 <= definition.max_attempts <= 1000:
        found.append(f"max_attempts {definition.max_attempts} is out of range (1 to 1000)")
    if definition.timeout is not None and definition.timeout <= timedelta(0):
        found.append("timeout must be more than zero")
    if definition.retention_days is not None and not 0 <= definition.retention_days <= 3650:
        found.append(f"retention_days {definition.retention_days} is out of range (0 to 3650)")
    if definition.retention_count is not None and not 1 <= definition.retention_count <= 1_000_000:
        found.append(f"retention_count {definition.retention_count} is out of range (1 to 1000000)")
    return [*found, *definition.limits.problems]
