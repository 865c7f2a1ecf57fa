"""A reachable home for root's server when the data folder is private, such as one below /root."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from secrets import token_hex

from headrace.db.embedded.account import Account
from headrace.db.embedded.layout import Layout
from headrace.errors import EmbeddedServerError

STATE = Path("/var/lib/headrace")


def layout_for(data_dir: Path, account: Account) -> Layout:
    """Decide where the server's files lie; call it with the start lock held."""
    cluster = data_dir / "postgres"
    if cluster.is_symlink() and STATE in Path(os.readlink(cluster)).parents:
        return _pointed_to(cluster)
    if not account.borrowed or account.can_enter(data_dir):
        return Layout(data_dir, home=data_dir)
    if cluster.exists():
        raise EmbeddedServerError(
            f"The user {account.uid} that owns the database folder {cluster} cannot reach it. Let this user "
            "pass through the folders above it (chmod o+x), or move the data folder."
        )
    return Layout(data_dir, home=_new_home(data_dir))


def state_folder() -> Path:
    """Make root's folder for homes and copied programs: passable, but not to be listed."""
    STATE.parent.mkdir(parents=True, exist_ok=True)
    if not STATE.exists():
        STATE.mkdir(mode=0o700, exist_ok=True)
        STATE.chmod(0o711)
    status = STATE.lstat()
    if status.st_uid != 0 or status.st_mode & 0o022 or not STATE.is_dir() or STATE.is_symlink():
        raise EmbeddedServerError(f"{STATE} must be a folder of root that only root can write. Remove or correct it.")
    return STATE


def _new_home(data_dir: Path) -> Path:
    # The random part makes a deleted data folder begin anew; the first part groups what one path left behind.
    path = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:12]
    home = state_folder() / f"{path}-{token_hex(4)}"
    home.mkdir(mode=0o700)
    home.chmod(0o711)
    (home / "data_dir").write_bytes(os.fsencode(data_dir) + b"\n")
    (data_dir / "postgres").symlink_to(home / "postgres")
    return home


def _pointed_to(pointer: Path) -> Layout:
    home = Path(os.readlink(pointer)).parent
    if not home.is_dir():
        raise EmbeddedServerError(
            f"{pointer} says that the database lies in {home}, which does not exist. Bring that folder back, "
            f"or delete {pointer} to begin with an empty database."
        )
    return Layout(pointer.parent, home=home)
