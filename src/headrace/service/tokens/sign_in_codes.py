"""Codes of sign-in links: each opens one session within a minute. An old link in a history or a log opens nothing."""

from __future__ import annotations

import secrets
from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.service.tokens.service import digest

SQL = statements(__file__)
LASTS = timedelta(seconds=60)


async def make_code(conn: Connection, token: str) -> str:
    """A new code that stands for a good token: the only time that it is seen."""
    code = secrets.token_urlsafe(32)
    await conn.execute(SQL["make_code"], digest(token), digest(code), LASTS)
    return code


async def redeem_code(conn: Connection, code: str) -> bytes:
    """The hash of the code's token, or `BadRequest`; from now on the code opens nothing."""
    token_hash: bytes | None = await conn.fetchval(SQL["redeem_code"], digest(code))
    if token_hash is None:
        raise BadRequest(
            f"the sign-in link was used, or is older than {LASTS.total_seconds():g} seconds; "
            "for a new link run headrace sign-in on the server",
            field="code",
        )
    return token_hash
