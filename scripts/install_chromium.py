"""Install Debian's Chromium where that is allowed; where not, say what to do. Runs before anything is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

# The first is the same engine without a window's parts, which take half of a page's time to start.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = """\
Chromium is missing and may not be installed here: the tests of the dashboard (tests/web) are left out. Install it with
    apt-get install chromium-headless-shell    # or chromium
or set CHROMIUM to the path of a Chromium or Chrome that is here, and run them again.
"""


def find() -> str | None:
    """The path of a Chromium."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def install() -> None:
    """By apt, as root."""
    apt = shutil.which("apt-get")
    if apt is None or os.geteuid() != 0:
        return
    print("Installing Chromium ...")  # noqa: T201
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for arguments in (("update",), *(("install", "--yes", "--no-install-recommends", name) for name in NAMES[:2])):
        command = [apt, *arguments]
        subprocess.run(command, check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, **quiet)  # type: ignore[call-overload] # noqa: S603
        if find() is not None:
            return


if __name__ == "__main__":
    if find() is None:
        install()
    if find() is None:
        sys.stderr.write(MISSING)
