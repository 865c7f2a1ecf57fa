"""When it cannot start, the error says what is wrong, where, and what to do."""

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.db.embedded.owners import cluster_of, run_sql, running
from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer, binaries, explain
from headrace.errors import EmbeddedServerError


@pytest.fixture
def full_disk(open_data_dir: Path) -> Iterator[Path | None]:
    """A folder on a file system too small for a cluster, where this user may mount one."""
    place = open_data_dir.with_name("small")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m,mode=755", "tmpfs", str(place)]
    mounted = os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    yield place if mounted else None
    if mounted:
        subprocess.run(["umount", str(place)], check=True)


def test_no_space_is_named(full_disk: Path | None, tmp_path: Path) -> None:
    if full_disk is None:
        error = explain.from_os_error(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), tmp_path)
    else:
        with pytest.raises(EmbeddedServerError) as caught:
            EmbeddedServer.start(full_disk / ".headrace")
        error = caught.value
        assert not list((full_disk / ".headrace").glob("postgres*"))
    assert f"no space is left on the disk of {full_disk or tmp_path}" in str(error)


def test_no_permission_is_named(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    place = Path("/sys") if os.geteuid() == 0 else locked  # where even root may not make a folder

    with pytest.raises(EmbeddedServerError, match=f"no permission for {place}/.headrace"):
        EmbeddedServer.start(place / ".headrace")


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / ".headrace").write_text("a file")

    with pytest.raises(EmbeddedServerError, match="is not a folder"):
        EmbeddedServer.start(tmp_path / ".headrace")


def test_a_cluster_of_another_major_version_is_named(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        pass
    (cluster_of(data_dir) / "PG_VERSION").write_text("17\n")

    with pytest.raises(EmbeddedServerError, match=r"made by PostgreSQL 17, and this Headrace brings \d+"):
        EmbeddedServer.start(data_dir)


@pytest.mark.parametrize("missing", ["PG_VERSION", "global/pg_control"])
def test_an_incomplete_cluster_is_named_and_left_as_it_is(data_dir: Path, missing: str) -> None:
    with EmbeddedServer.start(data_dir):
        pass
    (cluster_of(data_dir) / missing).unlink()

    with pytest.raises(EmbeddedServerError, match="not a complete PostgreSQL database"):
        EmbeddedServer.start(data_dir)
    assert (cluster_of(data_dir) / "base").is_dir()


def test_a_damaged_cluster_is_named_with_the_servers_own_words(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir):
        pass
    control = cluster_of(data_dir) / "global" / "pg_control"
    with control.open("r+b") as file:
        file.seek(40)
        file.write(b"\xff" * 40)

    with pytest.raises(EmbeddedServerError, match=r"is damaged.*\n.*postgres\.log.*\n(.*\n)*.*control file"):
        EmbeddedServer.start(data_dir)
    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))


def test_a_setting_that_stops_the_server_is_quoted(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "alter system set shared_preload_libraries = 'no_such_library'")

    with pytest.raises(EmbeddedServerError, match="no_such_library"):
        EmbeddedServer.start(data_dir)


def test_a_failed_start_leaves_no_share_behind(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "alter system set shared_preload_libraries = 'no_such_library'")
    settings = cluster_of(data_dir) / "postgresql.auto.conf"
    with pytest.raises(EmbeddedServerError):
        EmbeddedServer.start(data_dir)
    os.truncate(settings, 0)

    with EmbeddedServer.start(data_dir) as server:
        assert server.sole_owner


def test_missing_programs_are_named(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "PACKAGE", "no_such_wheel")

    with pytest.raises(EmbeddedServerError, match="Install Headrace again"):
        EmbeddedServer.start(data_dir)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ('PANIC:  could not write to file "pg_wal/xlogtemp.7": No space left on device', "no space is left"),
        ('FATAL:  could not open file "global/pg_filenode.map": Permission denied', "no permission"),
        ("PANIC:  could not locate a valid checkpoint record at 0/15D4FD8", "is damaged"),
        ("FATAL:  could not map anonymous shared memory: Cannot allocate memory", "no shared memory"),
        ("FATAL:  something new", "for the reason below"),
    ],
)
def test_what_postgresql_said_becomes_a_sentence(words: str, sentence: str) -> None:
    error = str(explain.from_output(words, place=Path("/somewhere/postgres")))

    assert sentence in error
    assert words in error
