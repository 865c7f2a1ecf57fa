"""Root works in no folder where another user could put links, and follows none that are there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.db.embedded.owners import run_sql

from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.account import account_for
from headrace.db.embedded.layout import Layout, prepare_data_dir, prepare_run_dir
from headrace.db.embedded.supervise import LOG_BYTES, bound_log
from headrace.errors import EmbeddedServerError

IS_ROOT = os.geteuid() == 0
STRANGER = 65_534


def give_to_strange_group(folder: Path) -> None:
    """Of this user, and of a group with others in it."""
    os.chown(folder, -1, STRANGER)
    folder.chmod(0o770)


# What root alone can make of a folder, what is said of it, and what helps.
WAYS: dict[str, tuple[Callable[[Path], None], str]] = {
    "a stranger's folder": (
        lambda folder: os.chown(folder, STRANGER, -1),
        r"{folder} belongs to the user nobody, .* Run Headrace as that user, or choose another data folder",
    ),
    "a stranger's folder of locks": (
        lambda folder: os.chown(folder / "run", STRANGER, -1),
        r"{folder}/run belongs to the user nobody, ",
    ),
    "a folder that all may write": (
        lambda folder: folder.chmod(0o777),
        r"{folder} can be written by all users, .* chmod go-w {folder}, or choose another data folder",
    ),
    "a folder that a strange group may write": (
        lambda folder: give_to_strange_group(folder),
        rf"{{folder}} can be written by the group {STRANGER}, ",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_root_does_not_work_in(way: str, data_dir: Path) -> None:
    (data_dir / "run").mkdir(parents=True)
    (data_dir / "postgres.log.1").symlink_to(data_dir.with_name("target"))
    change, sentence = WAYS[way]
    if not IS_ROOT:  # of its own folders a user need not be kept
        return
    change(data_dir)
    with pytest.raises(EmbeddedServerError, match=sentence.format(folder=data_dir)):
        EmbeddedServer.start(data_dir)
    assert {path.name for path in data_dir.rglob("*")} == {"run", "postgres.log.1"}


def test_root_works_in_a_folder_of_the_account_that_it_lends(open_data_dir: Path) -> None:
    open_data_dir.mkdir(mode=0o711)
    lent = account_for(open_data_dir / "postgres")
    os.chown(open_data_dir, lent.uid, lent.gid)
    for _ in ("the first time", "again"):
        with EmbeddedServer.start(open_data_dir) as server:
            assert run_sql(server.url, "select 1") == [(1,)]


def test_a_log_is_put_aside_without_following_a_link(tmp_path: Path) -> None:
    log, target = tmp_path / "postgres.log", tmp_path / "target"
    older = tmp_path / "postgres.log.1"
    log.write_bytes(b"* * * * * root id\n" * LOG_BYTES)
    target.write_text("important")
    older.symlink_to(target)
    bound_log(str(log))
    assert target.read_text() == "important"
    assert not older.is_symlink()
    assert older.stat().st_size == LOG_BYTES
    assert older.stat().st_mode & 0o777 == 0o600
    assert log.stat().st_size == 0

    log.unlink()
    older.rename(target)
    target.write_bytes(b"x" * (LOG_BYTES + 1))
    log.symlink_to(target)
    bound_log(str(log))
    assert target.stat().st_size == LOG_BYTES + 1


def test_a_token_is_not_written_where_a_link_points(tmp_path: Path) -> None:
    here = Layout(prepare_data_dir(tmp_path / ".headrace"), home=tmp_path / ".headrace")
    (here.run / "token").symlink_to(tmp_path / "target")
    prepare_run_dir(here)
    assert not (tmp_path / "target").exists()
