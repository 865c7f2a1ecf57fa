"""Functions, views and triggers of tables by checksum: a migration replaces those whose text has changed.

Tables change by numbered steps, each taken once. These files hold the only definition of their objects: each file of
`functions/`, each view of `views.sql` and each trigger of `table_triggers.sql` is applied where its checksum differs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from headrace.db.connect import Connection
from headrace.db.statements import expand, statements

SQL = statements(__file__)
FOLDER = Path(__file__).parent
# One view or trigger, with the comment above it.
_PIECE = re.compile(
    r"(?:^--[^\n]*\n)*^create or replace (?P<kind>view|trigger) (?:headrace\.)?(?P<name>\w+)"
    r"(?P<rest>.*?)(?=^--[^\n]*\n(?:--[^\n]*\n)*create |^create |\Z)",
    re.MULTILINE | re.DOTALL,
)
_TABLE = re.compile(r"\bon headrace\.(\w+)")


@dataclass(frozen=True, slots=True)
class FunctionFile:
    """What is replaced together: a file of functions, or one view or trigger."""

    name: str
    text: str
    kind: Literal["functions", "view", "trigger"] = "functions"

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_function_files(folder: Path = FOLDER) -> list[FunctionFile]:
    """All there are. The order of functions is free, views need none of them, and triggers need theirs."""
    files = sorted((folder / "functions").glob("*.sql"))
    functions = [FunctionFile(file.stem, expand(file.read_text("utf-8"))) for file in files]
    return [*functions, *_pieces(folder / "views.sql"), *_pieces(folder / "table_triggers.sql")]


def _pieces(file: Path) -> Iterator[FunctionFile]:
    for found in _PIECE.finditer(expand(file.read_text("utf-8"))):
        if found["kind"] == "view":
            yield FunctionFile(f"view {found['name']}", found[0].strip(), "view")
        else:
            table = _TABLE.search(found["rest"])
            yield FunctionFile(f"trigger {found['name']} on {table[1] if table else ''}", found[0].strip(), "trigger")


async def applied_checksums(connection: Connection) -> dict[str, str]:
    """The checksum of each file that the database has."""
    return {row["name"]: row["checksum"] for row in await connection.fetch(SQL["list_files"])}


async def replace_changed(
    connection: Connection, files: Sequence[FunctionFile], *, new: bool, stepped: bool
) -> tuple[list[FunctionFile], list[FunctionFile]]:
    """Apply each file that the database does not have; gives back these, and those that are to come one by one.

    Functions are replaced without a lock. A trigger waits for its table and a view for its readers, so each has its own
    transaction, unless the database is new. A file that this version does not know stays: another version may need it.
    """
    held = await applied_checksums(connection)
    changed = [file for file in files if held.get(file.name) != file.checksum]
    later = [
        file for file in changed if not new and (file.kind == "trigger" or (file.kind == "view" and file.name in held))
    ]
    at_once = [file for file in changed if file not in later]
    if at_once:
        await connection.execute(SQL["defer_checks"])
        for file in at_once:
            await replace_one(connection, file)
        await connection.execute(SQL["settle"])
    # Of no version before this one, and of none that a test makes up.
    if "grants" in {*held, *(file.name for file in at_once)} and (
        stepped or at_once or await connection.fetchval(SQL["roles_wait"])
    ):
        await connection.execute(SQL["ensure_roles"])
    return at_once, later


async def replace_one(connection: Connection, file: FunctionFile) -> None:
    """Apply it, and remember its checksum."""
    await connection.execute(file.text)
    await connection.execute(SQL["record_file"], file.name, file.checksum)
