"""The environment of processes that tests start."""

from __future__ import annotations

import os


def bare_environ(**variables: str) -> dict[str, str]:
    """This process's without its settings of Headrace, whose own jobs run where a test asks for them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADRACE_")}
    return {**kept, "HEADRACE_BUILTIN_ENABLED": "false", **variables}
