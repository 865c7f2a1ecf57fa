"""Whether a worker's process is still there can be asked, whatever ended it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from headrace.db.embedded.presence import gone_from

# It forks too: a child that outlives it must not be taken for it.
SCRIPT = """
import os, signal, sys
from pathlib import Path
from headrace.db.embedded.presence import be_present
lock = be_present(Path(sys.argv[1]))
print(lock.path.name, flush=True)
if os.fork() == 0:
    print(os.getpid(), flush=True)
signal.pause()
"""


def gone(run: Path) -> list[str]:
    """Who is gone now, and then forgotten."""
    with gone_from(run) as names:
        return names


def test_a_killed_process_is_gone_once_and_for_whoever_sees_to_the_end_of_it(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    name, child = process.stdout.readline().strip(), process.stdout.readline().strip()
    assert gone(tmp_path) == []

    process.kill()
    process.wait()
    with suppress(ConnectionError), gone_from(tmp_path) as first:
        assert (first, gone(tmp_path)) == ([name], [])
        raise ConnectionError("the database is away")
    assert gone(tmp_path) == [name]
    assert gone(tmp_path) == []

    subprocess.run(["kill", "-9", child], check=True)
    process.stdout.close()
