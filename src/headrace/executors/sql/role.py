"""The role that functions run as must not be one that could change Headrace itself."""

from __future__ import annotations

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.errors import ConfigError

SQL = statements(__file__)

LOOK_SECONDS = 5.0


class RoleRefused(ConfigError):
    """The login of SQL jobs may do too much."""


async def refuse_mighty_role(conn: Connection) -> None:
    """Raise `RoleRefused` for a superuser, one who passes over row security, and the login of our owner or workers."""
    row = await conn.fetchrow(SQL["look_at_role"], timeout=LOOK_SECONDS)
    if row is None:
        raise AssertionError("every role has itself")
    role, superuser, bypasses, owner, ours, reaches_far = row
    might = [
        word
        for word, is_so in (
            ("a superuser", superuser),
            ("a role with BYPASSRLS", bypasses),
            ("the owner of schema headrace", owner),
            ("a role of applications, workers or servers", ours),
            ("a role that makes roles, or reads or writes everything", reaches_far),
        )
        if is_so
    ]
    if might:
        raise RoleRefused(
            f"sql.database_url: SQL jobs may not log in as {role!r}, which is or may become {might[0]}: a function "
            "could change every job. Create a role for them (create role headrace_sql login password '…' nosuperuser "
            "nobypassrls nocreaterole nocreatedb), grant it what the functions need, and log in as that."
        )
