"""The schemas that a database goes through: those of releases, the present one, and a next one that adds to it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scripts.keep_schema import RELEASES, SOURCE

from headrace.db.function_files import FunctionFile, read_function_files
from headrace.db.migrate import Migration, read_migrations


class Version(NamedTuple):
    """What makes a database."""

    steps: list[Migration]
    files: list[FunctionFile]


def read_version(folder: Path) -> Version:
    """The schema in a folder that is made like `db/`."""
    return Version(read_migrations(folder / "schema"), read_function_files(folder))


def releases() -> dict[str, Version]:
    """All that were kept, oldest first."""
    folders = RELEASES.iterdir() if RELEASES.exists() else ()
    return {folder.name: read_version(folder) for folder in sorted(folders, key=_number)}


def _number(folder: Path) -> list[int]:
    return [int(part) for part in folder.name.split(".")]


PRESENT = read_version(SOURCE)


def next_version(tables: list[str]) -> Version:
    """The present with a column more in each table, each by its own step. A function and a view use one of them."""
    added = [
        Migration(
            number,
            f"more_of_{table}",
            f'alter table headrace."{table}" add column more text',
            f'alter table headrace."{table}" drop column more',
        )
        for number, table in enumerate(tables, len(PRESENT.steps) + 1)
    ]
    files = [_changed(file) for file in PRESENT.files]
    more = "create or replace function headrace._more() returns text language sql immutable as $$ select 'next' $$;"
    return Version([*PRESENT.steps, *added], [FunctionFile("more", more), *files])


# What the next version inserts, and between which words of the present text: a change of these comes here.
INSERTIONS = {
    "insert_jobs": [
        ("insert into headrace.job (", "more, ", "id,"),
        ("select ", "headrace._more(), ", "given.id, coalesce(given.tenant_id, of_tenant_id), def.id,"),
    ],
    "view jobs": [(" as unsuccessful", ", job.more", "\n")],
    "trigger count_enqueued on queue": [("create or replace trigger count_enqueued ", " ", "after insert")],
}


def _changed(file: FunctionFile) -> FunctionFile:
    for before, inserted, after in INSERTIONS.get(file.name, ()):
        assert file.text.count(before + after) == 1, f"{file.name} has not: {before}{after}"
        file = replace(file, text=file.text.replace(before + after, before + inserted + after))
    return file
