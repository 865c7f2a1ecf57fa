"""Fetch the files that `versions.json` beside them lists, byte for byte as npm has them, and write down their sums.

`python -m scripts.refresh_vendor [preact=11.3.0 …]` needs npm; what it writes is committed, so that nobody else does.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# What pages are made of, and what tests hold pages against.
FOLDERS = (ROOT / "src/headrace/web/static/vendor", ROOT / "tests/web/vendor")
LIST = "versions.json"


def refresh(folder: Path, wanted: Mapping[str, str]) -> None:
    """Fetch all of one folder, in the versions wanted where one is."""
    listed: dict[str, Any] = json.loads((folder / LIST).read_text("utf-8"))
    for package in listed["packages"]:
        package["version"] = wanted.get(package["name"], package["version"])
        _unpack(package, folder)
    files = sorted(name for package in listed["packages"] for name in package["files"])
    listed["sha256"] = {name: sum_of(folder / name) for name in files}
    (folder / LIST).write_text(json.dumps(listed, indent=2) + "\n", "utf-8")


def sum_of(file: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _unpack(package: Mapping[str, Any], folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is not installed, and only npm knows where its packages are")
    with tempfile.TemporaryDirectory() as scratch:
        name = f"{package['name']}@{package['version']}"
        subprocess.run([npm, "pack", "--silent", name], cwd=scratch, check=True, stdout=subprocess.DEVNULL)  # noqa: S603
        [archive] = Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as tar:
            for target, source in package["files"].items():
                content = tar.extractfile(f"package/{source}")
                if content is None:
                    sys.exit(f"{name} has no file {source}")
                (folder / target).write_bytes(content.read())


def main(arguments: Sequence[str]) -> None:
    """Refresh every folder."""
    wanted = dict(argument.split("=", 1) for argument in arguments)
    for folder in FOLDERS:
        refresh(folder, wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
