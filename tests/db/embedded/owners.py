"""Processes that own a share of an embedded server, and a look at what runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg

# Ctrl-C is only reported, so that a test can see that the server outlives it.
SCRIPT = """
import json, os, signal, sys
from pathlib import Path
from headrace.db.embedded import EmbeddedServer
from headrace.errors import EmbeddedServerError

def say(**words): print(json.dumps(words), flush=True)

signal.signal(signal.SIGINT, lambda *_: say(event="interrupted"))
say(event="begun")
try:
    server = EmbeddedServer.start(Path(sys.argv[1]))
except EmbeddedServerError as error:
    say(event="refused", message=str(error))
    sys.exit(1)
say(event="started", url=server.url, sole_owner=server.sole_owner, bin_dir=str(server.bin_dir))
for line in sys.stdin:
    if line == "stop\\n":
        server.stop()
        say(event="stopped")
    elif line == "fork\\n":
        pid = os.fork()
        if pid == 0:
            signal.pause()
        say(event="forked", pid=pid)
"""


class Owner:
    """A Python process that starts the server and obeys the lines it is sent."""

    def __init__(self, data_dir: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a process group of its own, as under a terminal
            env={**os.environ, **environment},
        )
        self.url = ""
        self.sole_owner = False
        self.bin_dir = Path()
        self.hear("begun")

    def hear(self, event: str) -> dict[str, str]:
        """Wait for the next thing the process says, which must be this."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        words: dict[str, str] = json.loads(line or "{}")
        assert words.get("event") == event, f"expected {event!r}, heard {line!r}"
        return words

    def tell(self, line: str) -> None:
        """Send the process one line."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def started(self) -> Owner:
        """Wait until the server answers this owner."""
        words = self.hear("started")
        self.url, self.sole_owner = words["url"], bool(words["sole_owner"])
        self.bin_dir = Path(words["bin_dir"])
        return self

    def stop(self) -> None:
        """Give the share up in order."""
        self.tell("stop")
        self.hear("stopped")

    def kill(self) -> None:
        """End the process as the kernel does when memory is short."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """End the process whatever it does, and close what leads to it."""
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe
            pipe.close()


def run_sql(url: str, statement: str) -> list[tuple[object, ...]]:
    """Run one statement over a connection of its own."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def cluster_of(data_dir: Path) -> Path:
    """Where the cluster really lies."""
    return (data_dir / "postgres").resolve()


def running(cluster: Path, program: str = "") -> list[int]:
    """The server and the supervisor of a cluster that run now, found by their command lines."""
    lines = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    found = [line.split(maxsplit=2) for line in lines if f"-D {cluster} " in line]
    return [int(pid) for pid, state, args in found if program in args and not state.startswith("Z")]


def postmaster(cluster: Path) -> int:
    """The process id of the server that runs."""
    [supervisor] = running(cluster, "supervise.py")
    [pid] = set(running(cluster)) - {supervisor}
    return pid
