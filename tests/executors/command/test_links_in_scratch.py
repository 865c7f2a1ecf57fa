"""What users of the machine put into scratch directories, or call one, while a worker removes it."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.executors.command.running import IS_ROOT, other_user, run, shell

from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.keeper import scratch as keeper

FOLDERS = 3000
STRANGER = 65_534


def in_a_process(act: Callable[[], object]) -> int:
    """Its id; whatever it says is not heard."""
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    return child


def remove_as(uid: int, doomed: keeper.Scratch) -> None:
    """As one whom permissions bind."""
    os.setuid(uid)
    doomed.remove()


def exchange(last: Path, *, target: Path, once_changed: Path) -> None:
    """Put a link in the place of a folder, as soon as another one was changed or removed."""
    before = once_changed.stat().st_ctime_ns
    try:
        while once_changed.stat().st_ctime_ns == before:
            pass
    finally:
        last.rename(target.with_name("moved"))
        last.symlink_to(target)


def test_a_link_that_takes_the_place_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    target, folder = tmp_path / "etc", tmp_path / "headrace-run-1"
    target.mkdir()
    target.chmod(0o755)
    for number in range(FOLDERS):
        (folder / str(number)).mkdir(parents=True)
    with os.scandir(folder) as entries:
        first, *_, last = (Path(entry.path) for entry in entries)

    doomed = keeper.Scratch.open(str(folder))
    child = in_a_process(lambda: exchange(last, target=target, once_changed=first))
    doomed.remove()
    doomed.close()
    os.waitpid(child, 0)
    assert stat.S_IMODE(target.stat().st_mode) == 0o755


def test_folders_that_their_owner_may_not_enter_are_removed_all_the_same(tmp_path: Path) -> None:
    locked = tmp_path / "headrace-run-1" / "outer" / "inner"
    (locked / "deep").mkdir(parents=True)
    folder = locked.parent.parent
    owner = STRANGER if IS_ROOT else os.getuid()
    for path in (folder, locked.parent, locked, locked / "deep"):
        os.chown(path, owner, -1)
    for path in (locked, locked.parent):
        path.chmod(0)

    doomed = keeper.Scratch.open(str(folder))
    child = in_a_process(lambda: remove_as(owner, doomed))
    os.waitpid(child, 0)
    doomed.close()
    assert list(tmp_path.glob("headrace-run-1/*")) == []


async def test_a_sweep_leaves_the_folders_of_strangers(
    commands: CommandExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = pwd.getpwnam(other_user())
    _, output = await run(commands, shell('stat -c "%u %g" .', user=account.pw_name))
    of_a_command = tuple(map(int, output.of("stdout").split()))
    foreign, left = tmp_path / "headrace-run-1", tmp_path / "headrace-run-2"
    for folder, (uid, gid) in ((foreign, (account.pw_uid, account.pw_gid)), (left, of_a_command)):
        folder.mkdir()
        os.chown(folder, uid, gid)

    monkeypatch.setattr(keeper, "FORSAKEN_AFTER", -1.0)
    keeper.sweep(str(tmp_path))
    assert foreign.exists()
    assert not left.exists()
