"""The handlers that an application has declared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.db.database import Database
from headrace.define.handler import Handler
from headrace.define.signature import BadHandler
from headrace.define.sync import SyncReport, is_alone, sync_definitions
from headrace.errors import ConfigError
from headrace.log import get_logger
from headrace.model.definition import Definition
from headrace.model.secret.encryption import NO_KEY, SecretBox, encrypt_fields
from headrace.model.settings.definition import DEFAULT_MAX_ATTEMPTS
from headrace.model.text import to_json
from headrace.triggers.declare import sync_triggers

log = get_logger("headrace")
KEPT_SERVED = "definitions kept: live workers of other processes serve them"
KEPT_UNNAMED = (
    "definitions kept: this app has no name, so definitions that its code lacks may be another service's. "
    'Set app = "…" in headrace.toml, or HEADRACE_APP'
)


class Registry:
    """Handlers by key."""

    def __init__(
        self,
        box: Callable[[], SecretBox] = lambda: NO_KEY,
        secrets_of: Callable[[str], Sequence[str]] = lambda _key: (),
        default_attempts: Callable[[], int] = lambda: DEFAULT_MAX_ATTEMPTS,
    ) -> None:
        self.box = box
        # Asked when definitions are told to somebody: code is imported before the settings are read.
        self.default_attempts = default_attempts
        self._secrets_of = secrets_of
        self._handlers: dict[str, Handler] = {}
        self._at_run_time: set[str] = set()

    @property
    def handlers(self) -> Mapping[str, Handler]:
        return self._handlers

    def first_function(self) -> Callable[..., Any] | None:
        """Of the job that code declares first, if it declares any."""
        return next((one.function for key, one in self._handlers.items() if key not in self._at_run_time), None)

    def add(self, handler: Handler) -> None:
        """Refuses a second function under the same key."""
        other = self._handlers.get(handler.key)
        if other is not None and other.function.__qualname__ != handler.function.__qualname__:
            raise BadHandler(
                f"two functions declare the key {handler.key!r}: {other.function.__qualname__} and "
                f"{handler.function.__qualname__}. Give one of them another key."
            )
        self._at_run_time.discard(handler.key)
        self._handlers[handler.key] = handler

    def add_at_run_time(self, handler: Handler) -> None:
        """Put it in the place of whatever has its key. A sync does not tell of it, unless code declares it too."""
        if self._handlers.get(handler.key) is not handler:
            self._at_run_time.add(handler.key)
        self._handlers[handler.key] = handler

    def payload(self, key: str, arguments: Mapping[str, Any], *, tenant: str = "default") -> str:
        """The payload as JSON text; where the definition is our own, validated and its secret fields encrypted."""
        handler = self._handlers.get(key)
        text = to_json(dict(arguments)) if handler is None else handler.arguments.to_json(arguments)
        secret = self._secrets_of(key) if handler is None else handler.secret_fields
        if not secret:
            return text
        return to_json(encrypt_fields(json.loads(text), secret, self.box(), tenant=tenant, definition=key))

    def _refuse_without_key(self) -> None:
        for handler in self._handlers.values():
            if handler.secret_fields and not self.box():
                fields = ", ".join(handler.secret_fields)
                raise ConfigError(f"job {handler.key!r} has secret fields ({fields}): set HEADRACE_SECRET_KEY")

    def declared(self) -> list[Definition]:
        """What code declares, or `ConfigError` when there is no key for its secrets."""
        self._refuse_without_key()
        attempts = self.default_attempts() if self._handlers else DEFAULT_MAX_ATTEMPTS
        return [
            h.definition.with_attempts(attempts) for key, h in self._handlers.items() if key not in self._at_run_time
        ]

    async def sync(
        self,
        database: Database,
        *,
        app: str,
        force: bool = False,
        complete: bool = False,
        take_from: str | None = None,
    ) -> SyncReport:
        """Tell a database what was declared; an app that declares nothing has nothing to say."""
        if not self._handlers and not complete:
            return SyncReport()
        database.standing.require_declaring()
        definitions = self.declared()
        triggers = {definition.key: definition.triggers for definition in definitions}
        alone = is_alone(database, app)
        async with database.pool.acquire() as conn, conn.transaction():
            report = await sync_definitions(
                conn, definitions, app=app, force=force, complete=complete, alone=alone, take_from=take_from
            )
            kept = report.kept
            fired = await sync_triggers(conn, triggers, app=app, force=force, complete=complete, kept=kept)
        if kept and alone:
            log.warning(KEPT_SERVED, app=app, jobs=kept)
        elif kept:
            log.warning(KEPT_UNNAMED, jobs=kept)
        if report:
            log.info("definitions synced", added=report.added, changed=report.changed, gone=report.deleted_from_code)
        if fired:
            log.info("triggers synced", added=fired.added, changed=fired.changed, gone=fired.deleted_from_code)
        for name in fired.taken:
            log.warning("declared trigger ignored: a trigger made by hand has its name", trigger=name)
        return report
