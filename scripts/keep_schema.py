"""Keep the schema of a release for `tests/upgrade`: `make keep-schema`, once for each release.

Every later version is tested to migrate a database that was made with the copy. A copy is never changed.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import headrace
from headrace.version import __version__

SOURCE = Path(headrace.__file__).parent / "db"
RELEASES = Path(__file__).parents[1] / "tests" / "upgrade" / "releases"
KEPT = ("schema", "functions", "views.sql", "table_triggers.sql")


def keep_schema(folder: Path) -> None:
    """Copy all that makes a database."""
    folder.mkdir(parents=True)
    for name in KEPT:
        copy = shutil.copytree if (SOURCE / name).is_dir() else shutil.copy
        copy(SOURCE / name, folder / name)


if __name__ == "__main__":
    keep_schema(RELEASES / __version__)
