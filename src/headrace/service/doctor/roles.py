"""Roles and keys: the wall between tenants, the login of SQL jobs, the key for secret fields."""

from __future__ import annotations

import asyncpg

from headrace.config import Settings
from headrace.db.connect import Connection, place
from headrace.db.database import Database
from headrace.db.roles import CURE, list_roles
from headrace.db.standing import owns_schema
from headrace.db.statements import statements
from headrace.errors import ConfigError
from headrace.executors.sql.login import SqlLogin, settings_of_role
from headrace.executors.sql.role import refuse_mighty_role
from headrace.model.secret.encryption import SecretBox
from headrace.service.doctor.finding import Finding, fail, ok, warn
from headrace.service.tenants.role import why_no_tenants

SQL = statements(__file__)
GRANT_SERVER = "none for a worker or an application; else as an administrator: GRANT headrace_server TO it"


async def tenant_role(conn: Connection) -> list[Finding]:
    """Whether requests for one tenant can run behind row-level security."""
    reason = await why_no_tenants(conn)
    if reason is None:
        return [ok("tenant role", 'this login can take the role "headrace_tenant"')]
    if not await owns_schema(conn):
        return [warn("tenant role", f"{reason}: headrace serve does not start with this login", GRANT_SERVER)]
    return [fail("tenant role", f"{reason}: the API does not start", CURE)]


async def database_roles(conn: Connection) -> list[Finding]:
    """Whether there are roles for processes that do not own the schema."""
    lacking = [role.name for role in await list_roles(conn) if not role.ready]
    if not lacking:
        return [ok("database roles", "all are there, with their rights")]
    detail = f"no process can run with fewer rights than the owner: {', '.join(lacking)} cannot be used"
    return [warn("database roles", detail, CURE)]


async def sql_role(database: Database, settings: Settings, conn: Connection) -> list[Finding]:
    """Whether SQL jobs have a login, and one that may not do too much."""
    jobs = await conn.fetchval(SQL["sql_jobs"])
    url = settings.sql.database_url or database.sql_jobs_url
    if url is None:
        if not jobs:
            return [ok("SQL role", "SQL jobs are off, and no SQL job is defined")]
        return [
            warn(
                "SQL role",
                f"{jobs} SQL jobs are defined, but this process has no login for them",
                "set sql.database_url",
            )
        ]
    try:
        # As `SqlLogin` does, but without mending: whoever asks the doctor wants to see what is there.
        own = await SqlLogin(url).log_in("doctor")
    except asyncpg.InvalidPasswordError as error:
        detail = f"cannot log in at {place(url)}: {error}. A SQL job may have changed the password of its own role"
        return [fail("SQL role", detail, "as an administrator: ALTER ROLE … PASSWORD the one of sql.database_url")]
    except Exception as error:
        return [fail("SQL role", f"cannot log in at {place(url)}: {error}", "mend sql.database_url")]
    try:
        await refuse_mighty_role(own)
        made = await settings_of_role(own)
        role = await own.fetchval("select session_user")
    except ConfigError as error:
        return [fail("SQL role", str(error), "log in as a role of their own")]
    finally:
        await own.close()
    if made:
        detail = f"the role {role} has settings, which a SQL job may have made: {', '.join(made)}"
        return [warn("SQL role", detail, f'ALTER ROLE "{role}" RESET ALL; a worker does so at its next login')]
    return [ok("SQL role", f"SQL jobs log in with few rights; {jobs} are defined")]


async def secret_key(settings: Settings, conn: Connection) -> list[Finding]:
    """Whether there is a key where definitions need one."""
    try:
        box = SecretBox.read(settings.secret_key)
    except ConfigError as error:
        return [fail("secret key", str(error), "mend secret_key")]
    needing = [row[0] for row in await conn.fetch(SQL["needing_a_key"])]
    if needing and not box:
        detail = f"no key is set, and {len(needing)} definitions have secret fields: {', '.join(needing[:3])}"
        return [fail("secret key", detail, "set HEADRACE_SECRET_KEY to the workers' value")]
    return [ok("secret key", "a key is set" if box else "no key is set, and no definition needs one")]
