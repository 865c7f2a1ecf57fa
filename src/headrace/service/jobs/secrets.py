"""The secrets of jobs, for who must keep them out of what is said elsewhere."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from headrace.aside import by_size
from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.payload.stored_json import read_object
from headrace.model.secret.encrypted_arguments import CannotEncrypt, encrypted_fields
from headrace.model.secret.encryption import CannotDecrypt, SecretBox, decrypt_fields, is_encrypted
from headrace.model.secret.mask_outcome import NAME_PARTS, payload_secrets
from headrace.model.secret.schema import WORDS, SecretSchema, read_secret_schema

SQL = statements(__file__)
# Of payloads read at once, each up to a megabyte.
BATCH = 20


async def read_secrets(conn: Connection, box: SecretBox, job_ids: Sequence[UUID]) -> dict[UUID, list[str]]:
    """The secret values of the payloads of those jobs that have any."""
    found = await read_secrets_within(conn, box, job_ids, most=sys.maxsize)
    return {job_id: values for job_id, values in found.items() if values is not None}


async def read_secrets_within(
    conn: Connection, box: SecretBox, job_ids: Sequence[UUID], *, most: int
) -> dict[UUID, list[str] | None]:
    """The same until payloads of so many characters have been looked at. None for each of the jobs after these."""
    secrets: dict[UUID, list[str] | None] = {}
    looked_at = 0
    for at in range(0, len(job_ids), BATCH):
        some = list(job_ids[at : at + BATCH])
        if looked_at > most:
            return {**secrets, **dict.fromkeys(job_ids[at:])}
        for row in await conn.fetch(SQL["read_payloads"], some, "|".join(WORDS), NAME_PARTS):
            looked_at += row["size"]
            if row["payload"] is not None and (values := await by_size(row["size"], _secrets, row, box)):
                secrets[row["id"]] = values
    return secrets


def _secrets(row: Any, box: SecretBox) -> list[str]:
    schema, text = read_secret_schema(row["payload_schema"]), row["payload"]
    if schema.start:
        payload = read_object(text)
        if any(map(is_encrypted, payload.values())):
            opened = _in_the_clear(payload, schema, box, tenant=row["tenant"], definition=row["definition"])
            text = json.dumps(opened)
    return payload_secrets(text, schema)


def _in_the_clear(payload: Any, schema: SecretSchema, box: SecretBox, *, tenant: str, definition: str) -> Any:
    """The payload decrypted where the key is here; without it nobody could say here what is secret."""
    try:
        return decrypt_fields(payload, encrypted_fields(schema), box, tenant=tenant, definition=definition)
    except (CannotDecrypt, CannotEncrypt):
        return payload
