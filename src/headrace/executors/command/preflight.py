"""What would keep a command from running here, each as a sentence."""

from __future__ import annotations

import os
import pwd
import shutil
from collections.abc import Iterator

from headrace.executors.command.keeper.cgroup import usable_parent
from headrace.executors.command.launch import Launch


def preflight(launch: Launch, *, server_uid: int | None = None) -> list[str]:
    """The reasons why the command cannot run as it is; none if it can. `server_uid` is the embedded PostgreSQL's."""
    return [*_program_problems(launch), *_user_problems(launch, server_uid), *_process_problems(launch)]


def _program_problems(launch: Launch) -> Iterator[str]:
    program = os.fsdecode(launch.argv[0])
    if "/" not in program:
        if shutil.which(program, path=launch.env.get("PATH", os.defpath)) is None:
            yield f"{program} is in no directory of the command's PATH: write its whole path"
    elif not os.path.isabs(program):
        yield f"{program} is a relative path, and a command starts in a scratch directory: write its whole path"
    elif not os.path.exists(program):
        yield f"{program} does not exist"
    elif os.path.isdir(program) or not os.access(program, os.X_OK):
        yield f"{program} cannot be executed: it is a directory, or lacks the permission"


def _user_problems(launch: Launch, server_uid: int | None) -> Iterator[str]:
    if launch.user is None:
        return
    try:
        uid = pwd.getpwnam(launch.user).pw_uid
    except KeyError:
        yield f"unknown user {launch.user} on this machine: create the user, or omit `user`"
        return
    if os.geteuid() not in (0, uid):
        yield f"this worker is not root and cannot run a command as {launch.user}: start it as {launch.user}"
    if uid == server_uid:
        yield (
            f"the embedded PostgreSQL runs as {launch.user}, so the command could read and change the whole database: "
            "give the command another `user`"
        )


def _process_problems(launch: Launch) -> Iterator[str]:
    if launch.limits.max_processes is None or os.geteuid() != 0:
        return
    # The kernel does not hold root to RLIMIT_NPROC.
    if (launch.user is None or _is_root(launch.user)) and usable_parent() is None:
        yield (
            "max_processes does not apply to root: give the command a `user` other than root, start the worker as "
            "another user, or in a cgroup that it may divide (systemd: Delegate=pids and DelegateSubgroup=worker)"
        )


def _is_root(user: str) -> bool:
    try:
        return pwd.getpwnam(user).pw_uid == 0
    except KeyError:
        return False  # said already
