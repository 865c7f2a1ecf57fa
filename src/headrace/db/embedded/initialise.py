"""Makes the cluster at the first start, wholly or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from secrets import token_hex

from headrace.db.embedded import explain
from headrace.db.embedded.account import Account
from headrace.db.embedded.binaries import Install
from headrace.db.embedded.layout import Layout, opened_folder
from headrace.db.embedded.locks import FileLock

ROLE = "headrace"
CLEAN_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
UNFINISHED = "postgres.new-"

# Who may log in is said at each start, by `access`. Text sorts by code point, and upper and lower case know Unicode,
# whatever the system's locales are.
OPTIONS = [
    *("--username", ROLE, "--auth-local=peer", "--auth-host=reject"),
    *("--encoding=UTF8", "--no-locale", "--no-sync", "--no-instructions"),
]
BUILTIN_LOCALE = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]  # since PostgreSQL 17


def make_cluster(layout: Layout, install: Install, account: Account, alive: FileLock) -> None:
    """Make the cluster unless it is there, with `alive` held; refuse one that is not ours to run."""
    for leftover in layout.home.glob(f"{UNFINISHED}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    if _is_there(layout.cluster, install):
        return
    draft = layout.home / f"{UNFINISHED}{token_hex(4)}"
    draft.mkdir(mode=0o700)
    try:
        cluster = _room_in(draft, account)
        locale = BUILTIN_LOCALE if install.major >= 17 else []
        _initdb(install, account.maker, alive, cluster, [*OPTIONS, *locale])
        if account.maker != account:
            account.own_all(cluster)
        # Syncing once at the end is as durable as at every step, and much faster.
        _initdb(install, account, alive, cluster, ["--sync-only"])
        cluster.rename(layout.cluster)
        draft.rmdir()
        _sync_folder(layout.home)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _room_in(draft: Path, account: Account) -> Path:
    """A folder that the server's group alone can reach: `maker` may be a user under which other programs run."""
    cluster = draft / "postgres"
    cluster.mkdir(mode=0o700)
    account.maker.own(cluster)
    if account.borrowed:
        with opened_folder(draft) as fd:
            os.fchown(fd, 0, account.gid)
            os.fchmod(fd, 0o710)
    return cluster


def _is_there(cluster: Path, install: Install) -> bool:
    if not cluster.exists() or (cluster.is_dir() and not any(cluster.iterdir())):
        return False
    try:
        found = (cluster / "PG_VERSION").read_text(errors="replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise explain.not_a_cluster(cluster) from None
    if found != str(install.major):
        raise explain.wrong_version(cluster, found=found, needed=install.major)
    if not (cluster / "global" / "pg_control").is_file():
        raise explain.not_a_cluster(cluster)
    return True


def _initdb(install: Install, account: Account, alive: FileLock, draft: Path, options: list[str]) -> None:
    done = subprocess.run(  # noqa: S603 - our own program and options
        [install.program("initdb"), "--pgdata", str(draft), *options],
        cwd="/",
        env=CLEAN_ENVIRONMENT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        start_new_session=True,  # Ctrl-C is for the owner, which then cleans up
        pass_fds=[alive.fd],  # the next start waits for an initdb whose owner was killed
        **account.identity,
    )
    if done.returncode:
        raise explain.from_output(done.stdout, place=draft.parent.parent)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
