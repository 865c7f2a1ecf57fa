"""Triggers as people may see them: what their payloads hold of secrets is masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.aside import by_size
from headrace.db.statements import statements
from headrace.model.payload.json_storage import rough_size
from headrace.model.secret.mask_outcome import LARGE
from headrace.model.secret.mask_template import mask_template
from headrace.model.secret.schema import SecretSchema, read_secret_schema
from headrace.model.trigger.record import Trigger
from headrace.service.session import Scope

SQL = statements(__file__)


async def without_secrets(scope: Scope, triggers: Sequence[Trigger]) -> list[Trigger]:
    """The same triggers; the schemas of their definitions say what is secret."""
    keys = {trigger.definition for trigger in triggers if trigger.settings["payload"] or "payload" in trigger.overrides}
    if not keys:
        return list(triggers)
    rows = await scope.conn.fetch(SQL["payload_schemas"], list(keys))
    schemas = {row["key"]: read_secret_schema(row["payload_schema"]) for row in rows}
    size = rough_size([(trigger.settings["payload"], trigger.overrides) for trigger in triggers], LARGE)
    return await by_size(
        size,
        lambda: [
            _masked(trigger, schemas[trigger.definition]) if trigger.definition in schemas else trigger
            for trigger in triggers
        ],
    )


def _masked(trigger: Trigger, schema: SecretSchema) -> Trigger:
    settings = {**trigger.settings, "payload": mask_template(trigger.settings["payload"], schema)}
    overrides: dict[str, tuple[Any, Any]] = dict(trigger.overrides)
    if "payload" in overrides:
        declared, current = overrides["payload"]
        overrides["payload"] = mask_template(declared, schema), mask_template(current, schema)
    return trigger._replace(settings=settings, overrides=overrides)
