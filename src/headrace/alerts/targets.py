"""Targets: where notices go. The key of a webhook's signature is kept encrypted and never shown again."""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

import asyncpg

from headrace.db.amounts import refuse_more
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import Conflict, NotFound
from headrace.model.alert.target import TargetKind, check_target
from headrace.model.alert.web_address import Allowed, masked_address
from headrace.model.secret.encryption import SecretBox

SQL = statements(__file__)
PREFIX = "whsec_"
# Of one tenant.
MOST_TARGETS = 100
# Leave the key as it is, take it away, make a new one; or the key itself.
Signing = Literal["keep", "off", "new"]


class TargetRecord(NamedTuple):
    """What is known of a target: of a webhook neither its key nor the secret part of its address."""

    id: UUID
    tenant: str | None
    name: str
    kind: TargetKind
    address: str
    signed: bool
    created_at: datetime
    created_by: str
    tenant_id: int | None


async def list_targets(
    conn: Connection, *, tenant_id: int | None, limit: int, after: tuple[str, UUID] | None = None
) -> list[TargetRecord]:
    """By name."""
    rows = await conn.fetch(SQL["list_targets"], tenant_id, None, *(after or (None, None)), limit)
    return [_masked(TargetRecord(*row)) for row in rows]


async def get_target(conn: Connection, target_id: UUID, *, tenant_id: int | None) -> TargetRecord:
    """The target, or `NotFound`."""
    return _masked(await _read(conn, target_id, tenant_id))


async def create_target(
    conn: Connection,
    name: str,
    kind: TargetKind,
    address: str,
    *,
    tenant_id: int | None,
    created_by: str,
    sign: bool,
    box: SecretBox,
    allowed: Allowed,
) -> tuple[UUID, str | None]:
    """A new target and, of a webhook that is signed, the key: the only time that it is seen."""
    address = check_target(name, kind, address, allowed)
    await refuse_more(conn, SQL["count_targets"], tenant_id, most=MOST_TARGETS, things="alert targets")
    target_id: UUID = await conn.fetchval(SQL["make_id"])
    key, stored = _new_key(target_id, box) if kind == "webhook" and sign else (None, None)
    values = (target_id, tenant_id, name, kind, address, stored, created_by)
    try:
        await conn.execute(SQL["create_target"], *values)
    except asyncpg.UniqueViolationError:
        raise _taken(name) from None
    return target_id, key


async def update_target(
    conn: Connection,
    target_id: UUID,
    *,
    tenant_id: int | None,
    name: str | None,
    address: str | None,
    signing: Signing,
    box: SecretBox,
    allowed: Allowed,
) -> str | None:
    """Change its name, its address, or its key; gives back a new key."""
    if await conn.fetchval(SQL["lock_target"], target_id, tenant_id) is None:
        raise _unknown(target_id)
    before = await _read(conn, target_id, tenant_id)
    name = before.name if name is None else name
    wanted = check_target(name, before.kind, address, allowed) if address is not None else before.address
    if signing == "new" and before.kind != "webhook":
        raise Conflict("only webhooks are signed", field="signing")
    key, stored = _new_key(target_id, box) if signing == "new" else (None, None)
    try:
        await conn.execute(SQL["update_target"], target_id, name, wanted, signing != "keep", stored)
    except asyncpg.UniqueViolationError:
        raise _taken(name) from None
    return key


async def delete_target(conn: Connection, target_id: UUID, *, tenant_id: int | None) -> None:
    """Remove it; refused while a rule has it."""
    if await conn.fetchval(SQL["lock_target"], target_id, tenant_id) is None:
        raise _unknown(target_id)
    if rules := [row[0] for row in await conn.fetch(SQL["rules_with_target"], target_id)]:
        raise Conflict(f"rules use this target: {', '.join(rules)}. Give these rules another target first")
    await conn.execute(SQL["delete_target"], target_id)


def secret_place(target_id: UUID) -> str:
    """Where a key belongs: moved to another target it cannot be read."""
    return f"alert_target/{target_id}"


async def _read(conn: Connection, target_id: UUID, tenant_id: int | None) -> TargetRecord:
    row = await conn.fetchrow(SQL["list_targets"], tenant_id, target_id, None, None, 1)
    if row is None:
        raise _unknown(target_id)
    return TargetRecord(*row)


def _new_key(target_id: UUID, box: SecretBox) -> tuple[str, str]:
    if not box:
        raise Conflict(
            "a webhook's key is stored encrypted: set HEADRACE_SECRET_KEY, or make a webhook that is not signed",
            field="sign",
        )
    key = PREFIX + secrets.token_urlsafe(32)
    return key, json.dumps(box.encrypt(key, place=secret_place(target_id)))


def _masked(target: TargetRecord) -> TargetRecord:
    return target._replace(address=masked_address(target.address)) if target.kind == "webhook" else target


def _unknown(target_id: UUID) -> NotFound:
    return NotFound(f'unknown alert target "{target_id}"')


def _taken(name: str) -> Conflict:
    return Conflict(f'the alert target "{name}" exists already', field="name")
