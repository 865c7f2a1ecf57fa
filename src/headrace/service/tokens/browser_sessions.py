"""Sessions: what a browser holds in place of a token, so that no script can read it."""

from __future__ import annotations

import secrets
from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.service.tokens.service import FoundPrincipal, digest, find_principal, found_principal

SQL = statements(__file__)
# After its last use.
LASTS = timedelta(days=7)


async def open_session(conn: Connection, token: str) -> str:
    """A new session that stands for a good token: the only time that its secret is seen."""
    caller = await find_principal(conn, token)
    if caller is None:
        raise BadRequest("the token is unknown, expired or revoked", field="token")
    if caller.principal.role in ("worker", "metrics"):
        raise BadRequest(f"a token of the role {caller.principal.role} cannot open a session", field="token")
    secret = secrets.token_urlsafe(32)
    await conn.execute(SQL["open_session"], digest(token), digest(secret), LASTS)
    return secret


async def find_session(conn: Connection, secret: str) -> FoundPrincipal | None:
    """Who a session stands for, if it and its token are good now."""
    row = await conn.fetchrow(SQL["find_session"], digest(secret), LASTS)
    return None if row is None else found_principal(row)


async def end_session(conn: Connection, secret: str) -> None:
    """From now on it opens nothing; in every process within a second."""
    await conn.execute(SQL["end_session"], digest(secret))
