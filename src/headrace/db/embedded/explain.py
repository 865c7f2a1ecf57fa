"""Turns what the system or PostgreSQL said into a sentence that a person can act on."""

from __future__ import annotations

import errno
import re
from pathlib import Path

from headrace.errors import EmbeddedServerError

TAIL_LINES = 15

NO_SPACE = "no space is left on the disk of {place}. Free some space there, then start again."
NO_PERMISSION = "this user has no permission for {place}. Correct its owner and mode, or choose another data folder."
READ_ONLY = "{place} lies on a read-only file system. Choose another data folder."
NOT_A_FOLDER = "{place} is not a folder. Move the file away, or choose another data folder."
CORRUPTED = (
    "the database in {place} is damaged. Restore a backup of this folder; or move the folder away, to begin with an "
    "empty database."
)
NO_SHARED_MEMORY = "the system grants no shared memory. Raise its limits (see {place}), then start again."

FROM_ERRNO = {
    errno.ENOSPC: NO_SPACE,
    errno.EDQUOT: NO_SPACE,
    errno.EACCES: NO_PERMISSION,
    errno.EPERM: NO_PERMISSION,
    errno.EROFS: READ_ONLY,
    errno.ENOTDIR: NOT_A_FOLDER,
    errno.EEXIST: NOT_A_FOLDER,
}

# The first that is found wins, so the causes come before what follows from them.
FROM_OUTPUT = (
    (r"No space left on device|Disk quota exceeded", NO_SPACE),
    (
        r"could not (create|resize|map) (anonymous )?shared memory|could not create semaphores",
        NO_SHARED_MEMORY,
    ),
    (r"Read-only file system", READ_ONLY),
    (r"Permission denied|wrong ownership|invalid permissions", NO_PERMISSION),
    (r"could not locate a valid checkpoint record|invalid checksum|incorrect checksum|PANIC:", CORRUPTED),
    (r"pg_control|could not open (file|directory)|could not read file|invalid data in", CORRUPTED),
)


def from_os_error(error: OSError, data_dir: Path) -> EmbeddedServerError:
    """Word a failed system call."""
    place = error.filename2 or error.filename or data_dir
    place = place.decode(errors="replace") if isinstance(place, bytes) else place
    sentence = FROM_ERRNO.get(error.errno or 0)
    if sentence is None:
        return EmbeddedServerError(f"The embedded PostgreSQL could not be started in {data_dir}: {error}.")
    return EmbeddedServerError(f"The embedded PostgreSQL could not be started: {sentence.format(place=place)}")


def from_output(output: str, *, place: Path, log: Path | None = None) -> EmbeddedServerError:
    """Word what a PostgreSQL program wrote before it gave up, and quote its last lines."""
    tail = "\n".join(output.strip().splitlines()[-TAIL_LINES:]) or "(the server wrote nothing)"
    where = f" (from {log})" if log else ""
    sentence = next((text for pattern, text in FROM_OUTPUT if re.search(pattern, output)), None)
    reason = sentence.format(place=place) if sentence else f"the server gave up in {place}, for the reason below."
    return EmbeddedServerError(
        f"The embedded PostgreSQL could not be started: {reason}\nIts last lines{where}:\n{tail}"
    )


def wrong_version(cluster: Path, *, found: str, needed: int) -> EmbeddedServerError:
    """Word a cluster that another major version of PostgreSQL made."""
    return EmbeddedServerError(
        f"The database in {cluster} was made by PostgreSQL {found}, and this Headrace brings {needed}. "
        f"Dump it with PostgreSQL {found} (pg_dump), move the folder away, start again and restore the dump."
    )


def not_a_cluster(cluster: Path) -> EmbeddedServerError:
    """Word a folder that is not a PostgreSQL cluster, or no longer a whole one."""
    return EmbeddedServerError(
        f"{cluster} is not a complete PostgreSQL database: PG_VERSION or global/pg_control is missing. It is "
        "damaged or belongs to something else. Restore it or move it away, or choose another data folder."
    )
