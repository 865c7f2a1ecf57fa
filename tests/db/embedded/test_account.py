"""The server never runs as root, and root's server can run programs that lie in a private place."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.db.embedded.conftest import OwnerFactory
from tests.db.embedded.owners import cluster_of, postmaster, run_sql

from headrace.db.embedded import account, relocate
from headrace.db.embedded.account import account_for
from headrace.db.embedded.binaries import PACKAGE, copy_install, find_install
from headrace.errors import EmbeddedServerError


def test_the_server_runs_unprivileged(data_dir: Path, own: OwnerFactory) -> None:
    own().started()
    pid = postmaster(cluster_of(data_dir))

    uid = int(subprocess.check_output(["ps", "-o", "uid=", "-p", str(pid)], text=True))

    assert uid == (os.geteuid() or cluster_of(data_dir).stat().st_uid)
    assert uid != 0


def test_root_without_an_account_to_lend_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(account, "CANDIDATES", ("no-such-user",))
    monkeypatch.setattr(account, "FREE_IDS", ())

    with pytest.raises(EmbeddedServerError, match="useradd"):
        account_for(tmp_path / "postgres")


@pytest.fixture
def private_wheel(tmp_path: Path) -> Iterator[Path]:
    """A site-packages folder below a private one, with the wheel's programs."""
    site = tmp_path / "private" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    # Fresh times make it a version of its own, which no other server uses.
    package = find_install().root.parent
    for name in (f"{PACKAGE}/{find_install().root.name}", f"{PACKAGE}.libs"):
        shutil.copytree(package.parent / name, site / name, copy_function=shutil.copy)
    (site / PACKAGE / "__init__.py").write_text("raise AssertionError('the wrapper was imported')\n")
    before = set(relocate.STATE.glob("postgresql-*")) if os.geteuid() == 0 else set()
    yield site
    if os.geteuid() == 0:
        for copy in set(relocate.STATE.glob("postgresql-*")) - before:
            shutil.rmtree(copy)


def test_programs_in_a_private_place_are_used_without_the_wheels_wrapper(
    private_wheel: Path, own: OwnerFactory
) -> None:
    search_path = os.pathsep.join([str(private_wheel), *filter(None, [os.environ.get("PYTHONPATH")])])
    owner = own(PYTHONPATH=search_path).started()

    assert run_sql(owner.url, "select 1") == [(1,)]
    place = relocate.STATE if os.geteuid() == 0 else private_wheel
    assert place in owner.bin_dir.parents


def test_programs_are_copied_once_and_whole(tmp_path: Path) -> None:
    leftover = tmp_path / "copying-killed"
    leftover.mkdir()

    first = copy_install(find_install(), tmp_path)
    stamp = first.root.stat().st_ino
    second = copy_install(find_install(), tmp_path)

    assert second == first
    assert second.root.stat().st_ino == stamp
    assert not leftover.exists()
    assert subprocess.run([first.program("initdb"), "--version"], check=False).returncode == 0
