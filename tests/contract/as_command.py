"""Commands of the worker's configuration."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.contract.way import KEYS, Way
from tests.worker.running import app_on

from headrace import Headrace
from headrace.config import CommandSettings
from headrace.db.connect import Connection

PROGRAM = str(Path(__file__).with_name("programs.py"))


class AsCommand(Way):
    """A command's error is its exit code alone: its words are in lines and tails.

    A result that is no JSON of at most 1 MB is warned of in a line and left out, as one that is missing: the exit code
    has the last word on success.
    """

    name = "command"
    failed = "exit code 1"
    crashed = "killed by signal 9, not by us: out of memory?"
    too_large = "the result file is not JSON of at most 1 MB"
    fails_for_too_large = False
    error_has_its_words = False

    async def prepare(self, url: str, connection: Connection) -> Headrace:
        return app_on(url, "contract", shutdown_timeout_s=0.1, commands={key: command(key) for key in KEYS})

    async def is_gone(self, mark: str, connection: Connection) -> bool:
        return not Path(f"/proc/{mark}").exists()


def command(key: str) -> CommandSettings:
    return CommandSettings(
        argv=(sys.executable, "-I", "-S", PROGRAM, key),
        args={"type": "object"},
        stdin="payload",
        result="file",
        timeout_seconds=0.5 if key == "slow" else None,
        max_attempts=1 if key in ("fail", "slow", "crash", "large", "leak_and_fail") else 3,
        kill_grace_seconds=0.5,
    )
