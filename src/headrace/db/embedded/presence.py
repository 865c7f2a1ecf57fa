"""Who is still there: the process of each worker holds a lock of its own, which the kernel frees on any death of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from secrets import token_hex

from headrace.db.embedded.locks import FileLock
from headrace.errors import EmbeddedServerError

PREFIX = "process-"


def be_present(run: Path) -> FileLock:
    """A lock under a new name that others can look for, held for as long as this process lives."""
    name = token_hex(8)
    lock = FileLock(run / f"new-{name}")
    # Held before it has its name: nobody who looks may see it free while we live.
    if not lock.try_exclusive():
        raise EmbeddedServerError(
            f"Another process holds {lock.path}, which was just made. Check that its disk supports locks."
        )
    lock.path = lock.path.rename(run / f"{PREFIX}{name}")
    return lock


@contextmanager
def gone_from(run: Path) -> Iterator[list[str]]:
    """The names of processes that are gone. Others do not see them within the block, nor later if it ends well."""
    with ExitStack() as held:
        gone = [held.enter_context(lock) for lock in _free_locks(run)]
        yield [lock.path.name for lock in gone]
        for lock in gone:
            lock.path.unlink(missing_ok=True)


def _free_locks(run: Path) -> Iterator[FileLock]:
    """Each is now held by us."""
    for path in run.glob(f"{PREFIX}*"):
        try:
            lock = FileLock(path)
        except OSError:  # of another user, who can be asked only by its own lease
            continue
        if lock.try_exclusive() and not lock.replaced:
            yield lock
        else:
            lock.close()
