"""Under which user PostgreSQL runs: it refuses root, so root lends it an unprivileged account."""

from __future__ import annotations

import grp
import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from headrace.config.trust import distrust_folder
from headrace.errors import EmbeddedServerError

# Accounts that are for databases. Never `nobody`, under which other programs run too: they would own the database.
CANDIDATES = ("headrace", "postgres", "_postgres")
# Without such an account, a number that belongs to no user: neither distributions nor systemd give these away, and a
# container that has 65,536 users has them.
FREE_IDS = range(60_706, 61_184)
NOBODY = frozenset({65_534, 2**32 - 2})


class Identity(TypedDict, total=False):
    """The arguments that make `subprocess` run a program as another user."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Account:
    """The user and group that own the cluster and run its server."""

    uid: int
    gid: int

    @property
    def borrowed(self) -> bool:
        """Tell whether this is another user than the one who runs this process."""
        return self.uid != os.geteuid()

    @property
    def maker(self) -> Account:
        """Who runs initdb, which refuses a user without a name: another user, in the group that is ours alone."""
        if not self.borrowed or name_of(self.uid) is not None:
            return self
        users = sorted(pwd.getpwall(), key=lambda user: user.pw_name != "nobody")
        lent = next((user.pw_uid for user in users if user.pw_uid != 0), None)
        if lent is None:
            raise _no_account()
        return Account(lent, self.gid)

    @property
    def identity(self) -> Identity:
        """What to pass to `subprocess` so that a program runs under this account."""
        if not self.borrowed:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, folder: Path) -> None:
        """Give one of our folders to this account."""
        if self.borrowed:
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)

    def own_all(self, folder: Path) -> None:
        """Give a folder and all that is in it to this account; nobody else may be able to enter it meanwhile."""
        for _, folders, files, fd in os.fwalk(folder):
            for name in (".", *folders, *files):
                os.chown(name, self.uid, self.gid, dir_fd=fd, follow_symlinks=False)

    def can_enter(self, folder: Path) -> bool:
        """Try whether this account can reach a folder; asking the kernel also honours ACLs."""
        return self.can_run(["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)])

    def can_run(self, command: list[str]) -> bool:
        """Try whether this account can run a program to a good end."""
        quiet = subprocess.DEVNULL
        try:
            done = subprocess.run(  # noqa: S603 - fixed programs, no shell text from outside
                command, cwd="/", stdin=quiet, stdout=quiet, stderr=quiet, check=False, **self.identity
            )
        except PermissionError:
            return False
        return done.returncode == 0


def account_for(cluster: Path) -> Account:
    """Choose who runs the server: this user, or for root the cluster's owner or an unprivileged account."""
    if name_of(os.geteuid()) is None:
        raise EmbeddedServerError(
            f"The user {os.geteuid()} has no name on this system, and PostgreSQL takes no login from a user without a "
            "name. Add the user to /etc/passwd, or give a database URL to use another PostgreSQL."
        )
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if cluster.is_dir() and any(cluster.iterdir()):
        return _owner_of(cluster)
    return _account_to_lend()


def server_uid(data_dir: Path, *, starts: bool = False) -> int | None:
    """The user that the server of a data folder runs under, if it is another than this one.

    `starts` asks for the user of a server that is not there yet as well.
    """
    cluster = data_dir.expanduser() / "postgres"
    try:
        uid = cluster.stat().st_uid
    except OSError:
        if not starts:
            return None
        uid = account_for(cluster).uid
    return uid if uid != os.geteuid() else None


def refuse_folder_of_others(folder: Path) -> None:
    """As root, work in no folder where another user could put links, which would have root write elsewhere."""
    if os.geteuid() != 0 or (reason := distrust_folder(folder, _account_to_lend().uid)) is None:
        return
    cure = "Run Headrace as that user" if "belongs to" in reason else f"Take that right away: chmod go-w {folder}"
    raise EmbeddedServerError(
        f"{reason}, and a link that another user puts there would have root write elsewhere. {cure}, or choose another "
        "data folder."
    )


def name_of(uid: int) -> str | None:
    """The name of a user, if the system knows one."""
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return None


def _account_to_lend() -> Account:
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    for number in FREE_IDS:
        if name_of(number) is None and not _is_group(number):
            return Account(number, number)
    raise _no_account()


def _is_group(gid: int) -> bool:
    try:
        grp.getgrgid(gid)
    except KeyError:
        return False
    return True


def _no_account() -> EmbeddedServerError:
    return EmbeddedServerError(
        f"PostgreSQL does not run as root, and this system has none of the users {', '.join(CANDIDATES)}. "
        "Create one (useradd --system headrace) or do not run Headrace as root."
    )


def _owner_of(cluster: Path) -> Account:
    status = cluster.stat()
    if status.st_uid == 0:
        raise EmbeddedServerError(
            f"The database folder {cluster} belongs to root, and PostgreSQL does not run as root. "
            f"Give it to an unprivileged user: chown -R postgres {cluster}."
        )
    if status.st_uid in NOBODY or name_of(status.st_uid) == "nobody":
        lent = _account_to_lend()
        raise EmbeddedServerError(
            f"The database folder {cluster} belongs to the user nobody, and other programs of this user could change "
            f"the database. Stop all processes of Headrace, then give the folder to a user that no other program "
            f"has: chown -R {lent.uid}:{lent.gid} {cluster.resolve()}."
        )
    return Account(status.st_uid, status.st_gid)
