"""Declare: what a worker's code says of its definitions and triggers, told to the database in its stead."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from headrace.db.statements import statements
from headrace.define.sync import UNNAMED, sync_definitions
from headrace.errors import BadRequest
from headrace.model.definition import Definition
from headrace.model.payload.schema import NOT_VALID, payload_check
from headrace.model.text import NotJsonError, to_json
from headrace.model.trigger.declaration import complete_settings
from headrace.service.session import Scope
from headrace.service.worker_protocol.registration import EVERY, Declared, Synced
from headrace.triggers.declare import sync_triggers

SQL = statements(__file__)


async def sync_declared(scope: Scope, declared: Declared, synced: Synced) -> None:
    """Sync, and note what came of it. Audited when anything changed."""
    # In a thread: a worker may declare many definitions, and measuring a large schema takes a while.
    await asyncio.to_thread(_check_all, declared.definitions)
    bound = [] if EVERY in scope.principal.queues else list(scope.principal.queues)
    definitions = await _stay_within(scope, declared, bound, synced) if bound else declared.definitions
    # Whoever is bound to queues does not know all of an app, so nothing has left its code.
    complete = declared.complete and not bound
    triggers = {definition.key: definition.triggers for definition in definitions}
    app = declared.app
    alone = app != UNNAMED
    report = await sync_definitions(scope.conn, definitions, app=app, complete=complete, alone=alone)
    fired = await sync_triggers(scope.conn, triggers, app=app, complete=complete, kept=report.kept)
    synced.added.extend(report.added)
    synced.changed.extend(report.changed)
    synced.deleted_from_code.extend(report.deleted_from_code)
    synced.kept.extend(report.kept)
    synced.triggers_taken.extend(fired.taken)
    changes = {"added": report.added, "changed": report.changed, "deleted_from_code": report.deleted_from_code}
    changes |= {"triggers_added": fired.added, "triggers_changed": fired.changed}
    changes |= {"triggers_deleted_from_code": fired.deleted_from_code}
    if changed := {name: keys for name, keys in changes.items() if keys}:
        await scope.audit(app, **changed)


async def _stay_within(scope: Scope, declared: Declared, queues: Sequence[str], synced: Synced) -> list[Definition]:
    """What a token bound to queues may declare: nothing that runs elsewhere, or would take over what does.

    The rest is not refused, for an app may well declare more than one machine serves; it is told what was left out.
    """
    keys = [definition.key for definition in declared.definitions]
    names = [trigger.name for definition in declared.definitions for trigger in definition.triggers]
    others = {(row[0], row[1]) for row in await scope.conn.fetch(SQL["list_elsewhere"], keys, names, queues)}
    kept = []
    for definition in declared.definitions:
        if definition.settings.queue not in queues or ("definition", definition.key) in others:
            synced.definitions_elsewhere.append(definition.key)
            synced.triggers_elsewhere.extend(trigger.name for trigger in definition.triggers)
            continue
        away = {trigger.name for trigger in definition.triggers if ("trigger", trigger.name) in others}
        away |= {
            trigger.name
            for trigger in definition.triggers
            if (trigger.settings.get("queue") or queues[0]) not in queues
        }
        synced.triggers_elsewhere.extend(sorted(away))
        kept.append(replace(definition, triggers=tuple(t for t in definition.triggers if t.name not in away)))
    return kept


def _check_all(definitions: Sequence[Definition]) -> None:
    for definition in definitions:
        _check(definition)


def _check(definition: Definition) -> None:
    """`BadRequest` for what code could not have declared."""
    if definition.kind not in ("python", "command"):
        raise BadRequest(f"{definition.key!r}: a worker declares python and command definitions, not {definition.kind}")
    try:
        schema = to_json(definition.payload_schema)
    except NotJsonError as error:
        raise BadRequest(f"{definition.key!r}: the schema cannot be stored: {error}", field="payload_schema") from None
    problem = payload_check(schema)({})
    if problem is not None and problem.startswith(NOT_VALID):
        raise BadRequest(f"{definition.key!r}: {problem}", field="payload_schema")
    for trigger in definition.triggers:
        try:
            complete_settings(trigger.settings)
        except (TypeError, ValueError, AttributeError, LookupError, OverflowError) as error:
            # From anybody, and so of any type.
            raise BadRequest(f"{trigger.name!r}: {error}", field="triggers") from None
