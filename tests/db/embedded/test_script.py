"""A script without an event loop, on the embedded server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.db.embedded.owners import cluster_of, running
from tests.environ import bare_environ
from tests.waiting import PATIENCE, wait_until

SCRIPT = """
from headrace import Headrace

hr = Headrace()


@hr.job
def greet(name: str) -> str:
    return f"hello {name}"


print(hr.blocking.get_job(hr.blocking.enqueue("greet", {"name": "you"})).status)
"""


def test_a_script_with_hr_sync_ends_without_a_complaint_and_stops_its_server(data_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=data_dir.parent,
        env=bare_environ(),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "queued\n", "")
    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))
