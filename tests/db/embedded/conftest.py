"""A data folder that is left as it was found: no process, no file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.db.embedded.owners import Owner, running
from tests.waiting import wait_until

from headrace.db.embedded import relocate

OwnerFactory = Callable[..., Owner]


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data folder not made yet; below pytest's private folders, which an unprivileged user cannot enter."""
    yield tmp_path / ".headrace"
    clean_up(tmp_path)


@pytest.fixture
def open_data_dir() -> Iterator[Path]:
    """A data folder not made yet, in a place that everybody can enter."""
    place = Path(tempfile.mkdtemp(prefix="headrace-test-")).resolve()
    place.chmod(0o755)
    yield place / ".headrace"
    clean_up(place)
    shutil.rmtree(place)


@pytest.fixture
def own(data_dir: Path, open_data_dir: Path) -> Iterator[OwnerFactory]:
    """Starts owner processes, and ends them with the test."""
    owners: list[Owner] = []

    def start(folder: Path | None = None, **environment: str) -> Owner:
        owners.append(Owner(folder or data_dir, **environment))
        return owners[-1]

    yield start
    for owner in owners:
        owner.close()


def clean_up(place: Path) -> None:
    """Wait until the servers below a folder are gone, and remove what root kept elsewhere."""
    homes = _homes_of(place)
    clusters = [path.parent.resolve() for path in place.rglob("PG_VERSION") if path.parent.name == "postgres"]
    for cluster in [*clusters, *(home / "postgres" for home in homes)]:
        wait_until(f"nothing runs in {cluster}", lambda cluster=cluster: not running(cluster))  # type: ignore[misc]
    for home in homes:
        shutil.rmtree(home)


def _homes_of(place: Path) -> list[Path]:
    notes = relocate.STATE.glob("*/data_dir") if os.geteuid() == 0 else []
    return [note.parent for note in notes if place in Path(os.fsdecode(note.read_bytes().rstrip())).parents]
