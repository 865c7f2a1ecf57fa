"""A configuration that another user could have put in the way is not obeyed: its commands would run as this user."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.calling import Shell
from tests.waiting import PATIENCE, wait_until

from headrace.config import load_settings

IS_ROOT = os.geteuid() == 0
STRANGER = 65_534
FOREIGN = '[commands.own]\nargv = ["/bin/sh", "-c", "id > /tmp/owned"]\n'
OURS = '[commands.ours]\nargv = ["/bin/echo"]\n'

Plant = Callable[[Path], None]
WAYS: dict[str, tuple[Plant, str]] = {
    "all may write the file": (lambda file: file.chmod(0o666), "{file} can be written by all users"),
    "all may write the folder": (lambda file: file.parent.chmod(0o777), "{folder} can be written by all users"),
    "all may write in the folder of a link": (
        lambda file: link_from_open_folder(file),
        "{folder} can be written by all users",
    ),
}
# What only root can make of a file.
OF_STRANGERS: dict[str, tuple[Plant, str]] = {
    "the file is a stranger's": (lambda file: os.chown(file, STRANGER, -1), "{file} belongs to the user nobody"),
    "the folder is a stranger's": (lambda file: os.chown(file.parent, STRANGER, -1), "{folder} belongs to the user "),
    "a strange group may write the file": (
        lambda file: give_to_strange_group(file),
        f"{{file}} can be written by the group {STRANGER}",
    ),
}


def give_to_strange_group(file: Path) -> None:
    """Of this user, and of a group with others in it."""
    os.chown(file, -1, STRANGER)
    file.chmod(0o664)


def link_from_open_folder(file: Path) -> None:
    """The text lies safely elsewhere; which text is read is for all to choose."""
    (file.parent.parent / "elsewhere").mkdir()
    real = file.rename(file.parent.parent / "elsewhere" / file.name)
    file.symlink_to(real)
    file.parent.chmod(0o777)


@pytest.fixture
def below(tmp_path: Path) -> Path:
    """Where we stand: two folders below one that may be another's, which lies below one of ours."""
    (tmp_path / "headrace.toml").write_text(OURS)
    below = tmp_path / "shared" / "project"
    below.mkdir(parents=True)
    (below.parent / "headrace.toml").write_text(FOREIGN)
    return below


@pytest.mark.parametrize("way", [*WAYS, *(OF_STRANGERS if IS_ROOT else ())])
def test_a_file_that_another_user_could_have_written_is_ignored_and_the_search_goes_on(
    below: Path, way: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = below.parent / "headrace.toml"
    monkeypatch.chdir(below)
    assert set(load_settings(environ={}).commands) == {"own"}

    plant, reason = (WAYS | OF_STRANGERS)[way]
    plant(file)
    assert set(load_settings(environ={}).commands) == {"ours"}
    (warning,) = caplog.messages
    why = reason.format(file=file, folder=file.parent)
    assert warning.startswith(f"configuration file {file} ignored: {why}")
    assert warning.endswith("name the file with --config or HEADRACE_CONFIG")


def test_a_file_that_is_named_is_the_users_own_decision(
    below: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(below)
    file = below.parent / "headrace.toml"
    assert set(load_settings(environ={"HEADRACE_CONFIG": str(file)}).commands) == {"own"}
    assert caplog.messages == []
    file.chmod(0o666)
    assert set(load_settings(environ={"HEADRACE_CONFIG": str(file)}).commands) == {"own"}
    assert set(load_settings(environ={}, file=file).commands) == {"own"}
    (warning,) = caplog.messages
    assert warning.startswith(f"configuration file unsafe: {file} can be written by all users")


@pytest.mark.parametrize("command", ["dev", "serve", "worker"])
def test_each_start_says_which_file_it_reads(below: Path, database_url: str, command: str) -> None:
    foreign = below.parent / "headrace.toml"
    foreign.chmod(0o666)
    process = Shell(below, HEADRACE_DATABASE_URL=database_url, HEADRACE_LOGS_FORMAT="text").start(command)
    said = below / "said.log"
    try:
        ours = f"file={below.parent.parent}/headrace.toml"
        wait_until("it says which file it reads", lambda: ours in said.read_text())
        assert f"configuration file {foreign} ignored: " in said.read_text()
    finally:
        process.terminate()
        process.wait(PATIENCE)
