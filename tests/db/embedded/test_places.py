"""Whatever the data folder is called, and whatever happened to it, the server finds its place."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest
from tests.db.embedded.conftest import OwnerFactory
from tests.db.embedded.owners import cluster_of, run_sql, running
from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer, layout, relocate
from headrace.db.embedded.account import Account, account_for
from headrace.db.embedded.layout import Layout, prepare_socket_dir
from headrace.errors import EmbeddedServerError

NAMES = {
    "a space": "my project",
    "more than 107 characters": "/".join(["deep" * 10] * 4),
    "a comma and quotes": "a,b'c\"d",
    "letters of many scripts": "Straße-日本",
}


def socket_dir(server: EmbeddedServer) -> Path:
    return Path(parse_qs(urlsplit(server.url).query)["host"][0])


@pytest.mark.parametrize(("name", "private"), list(zip(NAMES.values(), [True, False] * 2, strict=True)), ids=NAMES)
def test_the_server_runs_in_a_folder_with(name: str, private: bool, data_dir: Path, open_data_dir: Path) -> None:
    base = data_dir if private else open_data_dir
    with EmbeddedServer.start(base.parent / name / ".headrace") as server:
        assert run_sql(server.url, "select current_database(), current_user") == [("headrace", "headrace")]
        assert len(str(socket_dir(server) / ".s.PGSQL.5432")) <= 107
        assert stat.S_IMODE(socket_dir(server).stat().st_mode) == 0o700


async def test_asyncpg_and_psql_accept_the_url(open_data_dir: Path) -> None:
    with EmbeddedServer.start(open_data_dir.with_name("my project")) as server:
        connection = await asyncpg.connect(server.url)
        assert await connection.fetchval("select 1") == 1
        await connection.close()

        psql = [str(server.bin_dir / "psql"), "--no-psqlrc", "-Atc", "select 1", server.url]
        assert subprocess.run(psql, capture_output=True, text=True, check=True).stdout == "1\n"


def test_a_short_socket_folder_goes_away_with_the_server(open_data_dir: Path) -> None:
    with EmbeddedServer.start(open_data_dir.with_name("x" * 120)) as server:
        folder = socket_dir(server)
        assert folder.parent == layout.SHORT_PLACE
    wait_until("the folder is removed", lambda: not folder.exists())


def test_a_failed_start_leaves_no_short_socket_folder(open_data_dir: Path) -> None:
    data_dir = open_data_dir.with_name("x" * 120)
    with EmbeddedServer.start(data_dir) as server:
        folder = socket_dir(server)
    (cluster_of(data_dir) / "PG_VERSION").write_text("17\n")

    with pytest.raises(EmbeddedServerError):
        EmbeddedServer.start(data_dir)

    assert not folder.exists()


def test_a_socket_folder_that_is_not_ours_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "SHORT_PLACE", tmp_path / "short")
    here = Layout(tmp_path, home=tmp_path / ("x" * 120))
    here.run.mkdir(parents=True)
    (here.run / "token").write_text("token")
    here.socket_dir.parent.mkdir()
    here.socket_dir.symlink_to(tmp_path)  # what an attacker can plant where everybody may write

    with pytest.raises(EmbeddedServerError, match="is a link or belongs to another user"):
        prepare_socket_dir(here.socket_dir, account_for(here.cluster))


@pytest.mark.parametrize("how", ["file", "link", *(["folder"] if os.geteuid() == 0 else [])])
def test_who_takes_the_name_of_a_socket_folder_keeps_no_server_from_starting(how: str, open_data_dir: Path) -> None:
    data_dir = open_data_dir.with_name("x" * 120)
    with EmbeddedServer.start(data_dir) as server:
        taken = socket_dir(server)
    wait_until("the folder is removed", lambda: not taken.exists())
    try:
        take(taken, how)
        with EmbeddedServer.start(data_dir) as server, EmbeddedServer.start(data_dir) as second:
            assert run_sql(second.url, "select 1") == [(1,)]
            assert socket_dir(second) == socket_dir(server) != taken
    finally:
        taken.rmdir() if how == "folder" else taken.unlink()


def take(name: Path, how: str) -> None:
    """What another user can make where all may write."""
    if how == "folder":
        name.mkdir()
        os.chown(name, 65_534, -1)
    elif how == "file":
        name.touch()
    else:
        name.symlink_to("nowhere")


def test_git_ignores_a_data_folder_that_we_made(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        assert (data_dir / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_before_keeps_its_content_and_mode(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o750)
    (data_dir / "notes").write_text("mine")
    with EmbeddedServer.start(data_dir):
        assert (data_dir / "notes").read_text() == "mine"
        assert not (data_dir / ".gitignore").exists()
        assert stat.S_IMODE(data_dir.stat().st_mode) == 0o750


@pytest.mark.parametrize("private", [True, False], ids=["private", "open to all"])
def test_a_deleted_data_folder_begins_anew(private: bool, data_dir: Path, open_data_dir: Path) -> None:
    folder = data_dir if private else open_data_dir
    with EmbeddedServer.start(folder) as server:
        run_sql(server.url, "create table old (number int)")
    shutil.rmtree(folder)

    with EmbeddedServer.start(folder) as server:
        assert run_sql(server.url, "select to_regclass('old')::text") == [(None,)]


@pytest.mark.parametrize(("name", "private"), [(".headrace", True), ("x" * 120, False)], ids=["private", "open to all"])
def test_a_folder_deleted_under_a_living_owner_begins_anew_and_the_old_server_goes(
    name: str, private: bool, data_dir: Path, open_data_dir: Path, own: OwnerFactory
) -> None:
    folder = (data_dir if private else open_data_dir).with_name(name)
    old = own(folder).started()
    run_sql(old.url, "create table old (number int)")
    before = cluster_of(folder)
    [supervisor] = running(before, "supervise.py")
    shutil.rmtree(folder)

    new = own(folder).started()
    assert new.sole_owner
    assert run_sql(new.url, "select to_regclass('old')::text") == [(None,)]

    old.stop()
    wait_until("the old server is gone", lambda: supervisor not in running(before, "supervise.py"))
    assert run_sql(new.url, "select 1") == [(1,)]


def test_a_pointer_to_a_vanished_home_is_an_error_and_not_an_empty_database(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "postgres").symlink_to(relocate.STATE / "vanished" / "postgres")

    with pytest.raises(EmbeddedServerError, match="which does not exist"):
        EmbeddedServer.start(data_dir)


@pytest.fixture
def modes() -> Callable[[Path], dict[Path, tuple[int, int]]]:
    """Owner and mode of all folders above one."""
    return lambda folder: {p: (p.stat().st_mode, p.stat().st_uid) for p in folder.parents}


@pytest.mark.parametrize("private", [True, False], ids=["private", "open to all"])
def test_no_permission_outside_our_folders_changes(
    private: bool,
    data_dir: Path,
    open_data_dir: Path,
    modes: Callable[[Path], dict[Path, tuple[int, int]]],
) -> None:
    folder = data_dir if private else open_data_dir
    before = modes(folder)
    with EmbeddedServer.start(folder):
        assert modes(folder) == before
    assert modes(folder) == before


def test_the_cluster_stays_in_the_data_folder_where_its_user_can_reach_it(open_data_dir: Path) -> None:
    with EmbeddedServer.start(open_data_dir):
        assert cluster_of(open_data_dir) == open_data_dir / "postgres"


def test_the_owner_of_a_cluster_that_exists_runs_it(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        status = cluster_of(data_dir).stat()
        assert account_for(data_dir / "postgres") == Account(status.st_uid, status.st_gid)
