"""Whatever becomes of a run of the tests, no process and no folder of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.leftovers import PREFIX, sweep
from tests.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[1]
# It starts a process that outlives its parent, in a session of its own, and says which one.
TEST = """
import pathlib, subprocess, sys, tempfile, threading

def test_it():
    pathlib.Path(tempfile.gettempdir(), "file").write_text("")
    start = "import subprocess; null = subprocess.DEVNULL;" \\
        "print(subprocess.Popen(['sleep', '1000'], stdout=null, stderr=null, start_new_session=True).pid)"
    pid = subprocess.run([sys.executable, "-c", start], capture_output=True, text=True, check=True).stdout
    note = pathlib.Path({note!r})
    note.with_suffix(".part").write_text(tempfile.gettempdir() + " " + pid)
    note.with_suffix(".part").rename(note)
    {then}
"""


@pytest.mark.parametrize("end", ["passes", "fails", "is interrupted"])
def test_a_run_leaves_neither_process_nor_folder_and_names_the_process(tmp_path: Path, end: str) -> None:
    note = tmp_path / "note"
    then = {"passes": "pass", "fails": "assert False", "is interrupted": "threading.Event().wait()"}[end]
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.leftovers"]')
    (tmp_path / "test_it.py").write_text(TEST.format(note=str(note), then=then))
    environ = {**os.environ, "TMPDIR": str(tmp_path), "SECONDS_TO_STOP": "0.1", "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    run = subprocess.Popen(command, cwd=tmp_path, env=environ, **pipe)  # type: ignore[call-overload]
    if end == "is interrupted":
        wait_until("the test runs", note.exists)
        run.send_signal(signal.SIGTERM)
    output, _ = run.communicate(timeout=PATIENCE)

    folder, pid = note.read_text().split()
    assert not Path(folder).exists()
    assert not Path("/proc", pid).exists()
    assert f"left behind by the tests, and ended: process {pid}: sleep 1000" in output
    assert run.returncode == {"passes": 1, "fails": 1, "is interrupted": 2}[end], output


def test_the_folder_of_a_killed_run_goes_with_the_next_one(tmp_path: Path) -> None:
    (tmp_path / f"{PREFIX}killed").mkdir()
    sweep(tmp_path)
    assert list(tmp_path.iterdir()) == []
