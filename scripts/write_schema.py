"""Write `db/schema.sql`, the schema that migrations and functions make, for reading: part of `make docs`.

The text comes from the catalogs of a migrated database. Nothing applies it, and a test checks that it is up to date.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import asyncpg

import headrace
from headrace.db.connect import Connection, Endpoint
from headrace.db.embedded import EmbeddedServer
from headrace.db.migrate import migrate
from headrace.db.statements import statements

SQL = statements(__file__)
SCHEMA = Path(headrace.__file__).parent / "db" / "schema.sql"
HEAD = "-- What a migrated database holds, from its catalogs. Written by `make docs`; nothing applies it.\n"


async def schema_text(conn: Connection) -> str:
    """The same text for the same schema, whatever steps made it."""
    types = "".join(f"{row[0]};\n" for row in await conn.fetch(SQL["types"]))
    sequences = "".join(f"{row[0]};\n" for row in await conn.fetch(SQL["sequences"]))
    relations = [await _relation(conn, row) for row in await conn.fetch(SQL["relations"])]
    functions = "".join(f"{row[0]}\n" for row in await conn.fetch(SQL["functions"]))
    return "\n".join([HEAD, types, sequences, *relations, functions])


async def _relation(conn: Connection, relation: asyncpg.Record) -> str:
    oid = relation["oid"]
    columns = await conn.fetch(SQL["columns"], oid)
    width = max(len(row["name"]) for row in columns)
    inside = [f"  {row['name']:{width}}  {row['type']}" for row in columns]
    inside += [f"  {row[0]}" for row in await conn.fetch(SQL["constraints"], oid)]
    lines = [f"create {relation['kind']} headrace.{relation['name']} (", ",\n".join(inside), f"){relation['options']}"]
    lines[-1] += f" as\n{relation['definition']}" if relation["definition"] else ";"
    if relation["secured"]:
        lines.append(f"alter table headrace.{relation['name']} enable row level security;")
    for kind in ("policies", "indexes", "triggers", "grants"):
        lines += [f"{row[0]};" for row in await conn.fetch(SQL[kind], oid)]
    return "\n".join(lines) + "\n"


async def text_of_new_database(url: str) -> str:
    """The schema of an empty database after its migration."""
    endpoint = Endpoint(url)
    await migrate(endpoint)
    conn = await endpoint.connect("schema")
    try:
        return await schema_text(conn)
    finally:
        await conn.close()


def main() -> None:
    """On an embedded server of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # the server drops the rights of root
        with EmbeddedServer.start(Path(folder) / "server") as server:
            SCHEMA.write_text(asyncio.run(text_of_new_database(server.url)), "utf-8")


if __name__ == "__main__":
    main()
