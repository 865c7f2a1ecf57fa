"""What can be run, as code declares it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self

from headrace.errors import BadRequest
from headrace.model.secret.defaults import without_secret_defaults
from headrace.model.secret.encrypted_arguments import CannotEncrypt, mark_encrypted
from headrace.model.settings.definition import DeclaredSettings, DefinitionSettings, read_options
from headrace.model.settings.setting import NOT_THE_SYSTEM_QUEUE
from headrace.model.system import SYSTEM_PREFIX
from headrace.model.trigger.declaration import TriggerDeclaration

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
Kind = Literal["python", "command", "sql"]
Isolation = Literal["none", "process"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A key, what it takes and how it runs, with the settings an operator may override."""

    key: str
    settings: DeclaredSettings = field(default_factory=DeclaredSettings)
    kind: Kind = "python"
    payload_schema: dict[str, Any] = field(default_factory=dict)
    triggers: tuple[TriggerDeclaration, ...] = ()
    system: bool = False

    def __post_init__(self) -> None:
        problems = _problems(self)
        try:
            schema = without_secret_defaults(mark_encrypted(self.payload_schema))
            object.__setattr__(self, "payload_schema", schema)
        except CannotEncrypt as error:
            problems.append(str(error))
        if problems:
            raise BadRequest(f"definition {self.key!r}: {'; '.join(problems)}")

    @property
    def declared(self) -> dict[str, Any]:
        """The columns that an operator may change, as code declares them."""
        return {name: getattr(self.settings, name) for name in DefinitionSettings.model_fields}

    def with_attempts(self, default: int) -> Self:
        """The definition, with this number of attempts where code does not say it."""
        if "max_attempts" in self.settings.model_fields_set:
            return self
        return replace(self, settings=self.settings.model_copy(update={"max_attempts": default}))

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
            "schema": self.payload_schema,
            "triggers": [asdict(trigger) for trigger in self.triggers],
            "settings": self.settings.model_dump(),
        }
        return hashlib.sha256(json.dumps(declared, sort_keys=True, default=str).encode()).hexdigest()[:16]


def declare(
    key: str,
    *,
    kind: Kind = "python",
    payload_schema: dict[str, Any] | None = None,
    triggers: tuple[TriggerDeclaration, ...] = (),
    system: bool = False,
    **options: Any,
) -> Definition:
    """The definition that options of `@hr.job(…)` say, or one `BadRequest` with all that is wrong with these."""
    try:
        settings = read_options(options)
    except BadRequest as error:
        raise BadRequest(f"definition {key!r}: {error}", field=error.field) from None
    return Definition(key, settings, kind, payload_schema or {}, triggers, system)


def _problems(definition: Definition) -> list[str]:
    broken = definition.settings.broken_rules()
    found = [rule.sentence.rstrip(".") for rule in broken if not (definition.system and rule is NOT_THE_SYSTEM_QUEUE)]
    if not KEY.fullmatch(definition.key):
        found.append("a key has 1 to 200 of A-Z a-z 0-9 _ . : - and starts with a letter or digit")
    tenants = definition.settings.tenants
    if definition.triggers and tenants is not None and "default" not in tenants:
        found.append('triggers in code belong to the tenant "default", which tenants does not name')
    if definition.key.startswith(SYSTEM_PREFIX) and not definition.system:
        found.append(f"keys that begin with {SYSTEM_PREFIX} are reserved for built-in jobs")
    return found
