"""Under which user PostgreSQL runs: it refuses root, so root lends it an unprivileged account."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from headrace.errors import EmbeddedServerError

# A dedicated account first; `nobody` last, since other services may run under it too.
CANDIDATES = ("headrace", "postgres", "_postgres", "nobody")


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
    def identity(self) -> Identity:
        """What to pass to `subprocess` so that a program runs under this account."""
        if not self.borrowed:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, folder: Path) -> None:
        """Give one of our folders to this account."""
        if self.borrowed:
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)

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
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    if cluster.is_dir() and any(cluster.iterdir()):
        return _owner_of(cluster)
    for name in CANDIDATES:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise EmbeddedServerError(
        "PostgreSQL does not run as root, and this system has none of the users "
        f"{', '.join(CANDIDATES)}. Create one (useradd --system headrace) or do not run Headrace as root."
    )


def _owner_of(cluster: Path) -> Account:
    status = cluster.stat()
    if status.st_uid == 0:
        raise EmbeddedServerError(
            f"The database folder {cluster} belongs to root, and PostgreSQL does not run as root. "
            f"Give it to an unprivileged user: chown -R postgres {cluster}."
        )
    return Account(status.st_uid, status.st_gid)
