"""Sessions: what a browser holds in place of a token, so that no script can read it."""

from __future__ import annotations

import secrets
from datetime import timedelta

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import BadRequest, Conflict
from headrace.service.principal import Principal
from headrace.service.tokens.service import FoundPrincipal, digest, find_by_hash, found_principal

SQL = statements(__file__)
# After its last use.
LASTS = timedelta(days=7)
# Of one token; then the oldest ends.
MOST_OF_A_TOKEN = 50


class SignedInAlready(Conflict):
    """This browser is signed in as someone else."""

    code = "signed_in_already"


async def open_session(conn: Connection, token_hash: bytes) -> str:
    """A new session that stands for a good token: the only time that its secret is seen."""
    caller = await find_by_hash(conn, token_hash)
    if caller is not None and caller.principal.role in ("worker", "metrics"):
        raise BadRequest(f"a token of the role {caller.principal.role} cannot open a session", field="token")
    secret = secrets.token_urlsafe(32)
    async with conn.transaction():
        token_id = await conn.fetchval(SQL["lock_token"], token_hash)
        if caller is None or token_id is None:
            raise BadRequest("the token is unknown, expired or revoked", field="token")
        await conn.execute(SQL["open_session"], token_id, digest(secret), LASTS, MOST_OF_A_TOKEN)
    return secret


async def replace_session(conn: Connection, old: str, new: str, *, agreed: bool) -> None:
    """End a browser's session for a new one: of the same token, or as the person agreed; else `SignedInAlready`."""
    before, after = await find_session(conn, old), await find_session(conn, new)
    if before and after and before.principal.token_id != after.principal.token_id and not agreed:
        raise SignedInAlready(
            f"this browser is signed in as {_named(before.principal)}, "
            f"and would be signed in as {_named(after.principal)}"
        )
    await end_session(conn, old)


def _named(who: Principal) -> str:
    of = "" if who.tenant is None else f" of {who.tenant}"
    return f"{who.name.removeprefix('token ')} ({who.role}{of})"


async def find_session(conn: Connection, secret: str) -> FoundPrincipal | None:
    """Who a session stands for, if it and its token are good now."""
    row = await conn.fetchrow(SQL["find_session"], digest(secret), LASTS)
    return None if row is None else found_principal(row)


async def end_session(conn: Connection, secret: str) -> bool:
    """From now on it opens nothing; in every process within a second. Whether there was one."""
    return await conn.fetchval(SQL["end_session"], digest(secret)) is not None
