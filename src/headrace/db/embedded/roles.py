"""The roles of the server: Headrace's own, and the one that SQL jobs log in as.

That one can do what the database's owner granted it, and nothing to Headrace itself.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.probe import ask

SQL_ROLE = "headrace_sql"

KNOWN = f"select 1 from pg_roles where rolname = '{SQL_ROLE}'"  # noqa: S608 - a constant
# Without a password: who may log in is asked of the kernel (`conf`), so one that a function gives to itself changes
# nothing. On schema headrace it has no rights, because nobody has them unless they are granted.
CREATE = f"create role {SQL_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls"
GRANTS = "grant connect on database {database} to {role}; grant usage on schema public to {role}"

# Our role is called as our schema is, and "$user" stands first in the search path: what people create without naming a
# schema would come to lie among our tables. We ourselves name the schema always.
PATH_SET = (
    "select 1 from pg_db_role_setting where setrole = (select oid from pg_roles where rolname = "  # noqa: S608
    f"'{ROLE}') and exists (select from unnest(setconfig) as c where c like 'search_path=%')"
)
SET_PATH = f"alter role {ROLE} set search_path = public"


def ensure_search_path(socket_dir: Path, database: str) -> None:
    """Have names without a schema mean `public`, unless an operator chose a path."""
    if not ask(socket_dir, database, PATH_SET):
        ask(socket_dir, database, SET_PATH)


def ensure_sql_role(socket_dir: Path, database: str) -> None:
    """Create the role unless it is there. What an operator changed of one that is stays."""
    if not ask(socket_dir, database, KNOWN):
        ask(socket_dir, database, f"{CREATE}; {GRANTS.format(database=database, role=SQL_ROLE)}")


def sql_role_url(url: str) -> str:
    """The address of the same database for the role of SQL jobs."""
    parts = urlsplit(url)
    _, _, host = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{SQL_ROLE}@{host}"))
