"""The role that SQL jobs log in as: it can do what the database's owner granted it, and nothing to Headrace itself."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from headrace.db.embedded.probe import ask

SQL_ROLE = "headrace_sql"

KNOWN = f"select 1 from pg_roles where rolname = '{SQL_ROLE}'"  # noqa: S608 - a constant
# Without a password: who may enter the socket's folder is trusted, and nobody else comes in. On schema headrace
# it has no rights, because nobody has them unless they are granted.
CREATE = f"create role {SQL_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls"
GRANTS = "grant connect on database {database} to {role}; grant usage on schema public to {role}"


def ensure_sql_role(socket_dir: Path, database: str) -> None:
    """Create the role unless it is there. What an operator changed of one that is stays."""
    if not ask(socket_dir, database, KNOWN):
        ask(socket_dir, database, f"{CREATE}; {GRANTS.format(database=database, role=SQL_ROLE)}")


def sql_role_url(url: str) -> str:
    """The address of the same database for the role of SQL jobs."""
    parts = urlsplit(url)
    _, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{SQL_ROLE}@{host}"))
