"""Jobs that left the code while other processes still served them: called gone once nobody does."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

from headrace.db.database import Database
from headrace.define.sync import retire_definitions
from headrace.log import get_logger
from headrace.triggers.declare import retire_triggers
from headrace.worker.maintenance.loop import Loop

log = get_logger("headrace")
# Longer than a restart takes: who serves them may just be coming back.
UNSERVED_FOR = timedelta(minutes=2)
NEVER = 86_400.0


class Retirer(Loop):
    """Looks again at what a sync has kept. It only marks: another process may have told of a newer version since."""

    interval = 60.0
    jitter = 0.25

    def __init__(self, database: Database, app: str, kept: Collection[str]) -> None:
        super().__init__()
        self._database = database
        self._app = app
        self._kept = set(kept)

    async def tick(self) -> float | None:
        if not self._kept:
            return NEVER
        async with self._database.pool.acquire() as conn, conn.transaction():
            gone = await retire_definitions(conn, sorted(self._kept), app=self._app, unserved_for=UNSERVED_FOR)
            triggers = await retire_triggers(conn, gone, app=self._app) if gone else []
        if gone:
            log.info("definitions synced", added=[], changed=[], gone=gone, triggers_gone=triggers)
        self._kept.difference_update(gone)
        return None
