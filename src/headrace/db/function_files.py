"""Functions, views and triggers of tables by checksum: a file whose text changed is applied as a whole.

Tables change by numbered steps, each taken once. These files hold the only definition of their objects, and a migration
applies every file whose checksum is not the one that the database has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from headrace.db.connect import Connection
from headrace.db.statements import statements

SQL = statements(__file__)
FUNCTIONS = Path(__file__).parent / "functions"
# Views need no function, and triggers need the functions that they call.
LAST = (Path(__file__).parent / "views.sql", Path(__file__).parent / "table_triggers.sql")


@dataclass(frozen=True, slots=True)
class FunctionFile:
    """Functions, views or triggers that are replaced together."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_function_files(folder: Path = FUNCTIONS, last: Sequence[Path] = LAST) -> list[FunctionFile]:
    """All files. The order of functions is free; views and triggers come last."""
    return [FunctionFile(file.stem, file.read_text("utf-8")) for file in [*sorted(folder.glob("*.sql")), *last]]


async def applied_checksums(connection: Connection) -> dict[str, str]:
    """The checksum of each file that the database has."""
    return {row["name"]: row["checksum"] for row in await connection.fetch(SQL["list_files"])}


async def replace_changed(connection: Connection, files: Sequence[FunctionFile]) -> list[str]:
    """Apply each file that the database does not have; gives back their names.

    A file that this version does not know stays: workers of another version may call its functions.
    """
    held = await applied_checksums(connection)
    changed = [file for file in files if held.get(file.name) != file.checksum]
    if not changed:
        return []
    await connection.execute(SQL["defer_checks"])
    for file in changed:
        await connection.execute(file.text)
        await connection.execute(SQL["record_file"], file.name, file.checksum)
    await connection.execute(SQL["settle"])
    await connection.execute(SQL["grant_rights"])
    return [file.name for file in changed]
