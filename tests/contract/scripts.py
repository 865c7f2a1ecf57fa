"""Commands whose program is a line or two of Python or shell, on a database of the test's own."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.worker.running import app_on

from headrace import Headrace
from headrace.config import CommandSettings
from headrace.db.connect import Connection


def python(code: str, *slots: Any, **settings: Any) -> CommandSettings:
    """A command that runs this code; the slots are its arguments."""
    argv = (sys.executable, "-I", "-S", "-c", f"import json, os, signal, sys, time\n{literal(code)}", *slots)
    return CommandSettings(argv=argv, **{"max_attempts": 1, "kill_grace_seconds": 0.5, **settings})


def literal(text: str) -> str:
    """The text as a slot without a field."""
    return text.replace("{", "{{").replace("}", "}}")


def takes(*required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a payload."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required or properties),
        "additionalProperties": False,
    }


def commands_on(url: str, **commands: CommandSettings) -> Headrace:
    """An application whose only jobs are commands."""
    return app_on(url, "commands", shutdown_timeout_s=0.1, commands=commands)


async def detail(connection: Connection) -> dict[str, Any]:
    """What is known of the only attempt beside its outcome."""
    text = await connection.fetchval("select detail::text from headrace.attempt")
    found: dict[str, Any] = json.loads(text)
    return found
