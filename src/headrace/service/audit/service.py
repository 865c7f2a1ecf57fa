"""What was changed, by whom: kept for ever, written by every action that changes something."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from headrace.db.page import fetch_page
from headrace.db.statements import statements
from headrace.model.payload.stored_json import read_object
from headrace.service.base import ServerService
from headrace.service.session import find_tenant

SQL = statements(__file__)
NEWEST = 2**63 - 1
# Rows that a page looks at; then it is short and goes on where it ended.
WINDOW = 20_000


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Conditions that must all hold."""

    who: str | None = None
    action: str | None = None
    target: str | None = None
    tenant: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditRecord(NamedTuple):
    """One change."""

    id: int
    at: datetime
    who: str
    role: str
    action: str
    tenant: str | None
    target: str | None
    detail: dict[str, Any]


class AuditPage(NamedTuple):
    """Changes, newest first, and the id below which the next page begins."""

    items: list[AuditRecord]
    next_cursor: int | None


ALL = AuditFilter()


class Audit(ServerService):
    """Read what was changed."""

    async def list(self, wanted: AuditFilter = ALL, *, limit: int = 50, before: int | None = None) -> AuditPage:
        """A page of changes that fit, newest first."""
        async with self._begin("audit.read") as scope:
            tenant_id = None if wanted.tenant is None else await find_tenant(scope.conn, wanted.tenant)
            page = await fetch_page(
                scope.conn,
                SQL["list_audit"],
                wanted.target,
                tenant_id,
                NEWEST if before is None else before,
                wanted.who,
                wanted.action,
                wanted.since,
                wanted.until,
                WINDOW,
                limit + 1,
                limit=limit,
                json_columns=["detail"],
            )
        records = [_record(row) for row in page.rows if row["id"] is not None]
        return AuditPage(records, records[-1].id if page.more else page.rows[0]["looked_to"])


def _record(row: Any) -> AuditRecord:
    at = row["at"], row["who"], row["role"], row["action"]
    return AuditRecord(row["id"], *at, row["tenant"], row["target"], read_object(row["detail"]))
