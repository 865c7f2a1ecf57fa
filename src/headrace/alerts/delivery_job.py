"""The job that sends a notice: enqueued with the notice, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import TooMany
from headrace.model.alert.incident import Event
from headrace.model.text import to_json

SQL = statements(__file__)
DELIVER = "headrace.deliver_alert"
# Between two test notices of one tenant.
TEST_SECONDS = 5


async def enqueue_notice(
    conn: Connection,
    *,
    tenant_id: int | None,
    target_id: UUID,
    event: Event,
    body: Mapping[str, Any],
    rule_id: UUID | None = None,
) -> UUID | None:
    """Have a notice sent, if there still is such a target; gives back the notice's id."""
    notice_id: UUID | None = await conn.fetchval(
        SQL["write_notice"], tenant_id, rule_id, target_id, event, to_json(dict(body))
    )
    if notice_id is not None:
        await conn.execute(SQL["send_notice"], notice_id)
    return notice_id


async def refuse_frequent_tests(conn: Connection, tenant_id: int | None) -> None:
    """`TooMany` where the tenant had a test notice sent a moment ago. The server's own tests have no limit."""
    if tenant_id is not None and await conn.fetchval(SQL["was_tested"], tenant_id, timedelta(seconds=TEST_SECONDS)):
        raise TooMany(
            f"one test notice is sent every {TEST_SECONDS} seconds: try again in a moment", after=TEST_SECONDS
        )
