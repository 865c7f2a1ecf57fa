"""What the server gives to every session of ours that says nothing: settings of a role, a database or the server."""

from __future__ import annotations

from headrace.db.connect import NEWER_TERMS, OWN_TERMS, Endpoint
from headrace.db.database import Database
from headrace.db.statements import statements
from headrace.service.doctor.finding import Finding, fail, ok, warn

SQL = statements(__file__)
# Not for us to set, and nothing works: the value that they must have, and what is at stake.
NEEDED = {
    "default_transaction_read_only": ("off", "nothing can be enqueued or claimed"),
    "session_replication_role": (
        "origin",
        "Headrace's row triggers do not fire, so that jobs are neither woken nor counted",
    ),
}
OURS = OWN_TERMS | {name: value for name, (_, value) in NEWER_TERMS.items()}
# Of a role it is for the application's own statements, and ordinary.
del OURS["search_path"]
# Where a setting comes from: who is told to take it back, and how.
WHOSE = {
    "user": ("the role", "ALTER ROLE {role} RESET {name}"),
    "database": ("the database", "ALTER DATABASE {database} RESET {name}"),
    "database user": ("the role in this database", "ALTER ROLE {role} IN DATABASE {database} RESET {name}"),
}
ELSEWHERE = ("the server or the URL", "remove the setting from postgresql.conf or HEADRACE_DATABASE_URL")


async def session(database: Database) -> list[Finding]:
    """Settings that would have our statements fail, and whether we can have our own."""
    plain = await Endpoint(database.endpoint.url, pooled=True).connect("doctor")
    try:
        rows = await plain.fetch(SQL["session_settings"], [*(name for name in OURS), *NEEDED])
        role, where = await plain.fetchrow(SQL["who_and_where"]) or ("", "")
    finally:
        await plain.close()
    findings, others = [], []
    for name, value, source in rows:
        whose, way_out = WHOSE.get(source, ELSEWHERE)
        sentence, do = f"{name} = {value} of {whose}", way_out.format(name=name, role=role, database=where)
        if name in NEEDED and value != NEEDED[name][0]:
            findings.append(fail("session", f"{sentence}: {NEEDED[name][1]}", do))
        elif name in OURS and value != OURS[name]:
            others.append((sentence, do))
    if database.endpoint.pooled:
        findings += [
            warn("session", f"{sentence} applies to Headrace behind a transaction pooler: statements may fail", do)
            for sentence, do in others
        ]
    elif others:
        sentence = ", ".join(sentence for sentence, _ in others)
        findings.append(ok("session", f"{sentence}; Headrace's connections have their own"))
    return findings or [ok("session", "no setting of the role or the database disturbs Headrace")]
