"""Only the database's clock decides: a few modules ask the process's own clock, each for a reason."""

from __future__ import annotations

import ast
from pathlib import Path

import headrace

SOURCE = Path(headrace.__file__).parent
OWN_CLOCK = {
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
    *("time.time", "time.time_ns", "time.localtime", "time.gmtime", "time.strftime"),
}
REASONS = {
    "cli/core/durations.py": "'2h' of a filter or a backfill is two hours before now for the person who asks",
    "cli/logs/tables.py": "shows the date of a line that is not of today",
    "cli/output/tables.py": "shows how long ago something was",
    "db/server_check.py": "measures how far the two clocks are apart",
    "executors/child.py": "the worker gives each line its time, and this one goes nowhere",
    "executors/command/keeper/scratch.py": "compares with the times of files of the same machine",
    "worker/transport/database_clock.py": "holds until the worker registers, and the database says its time",
}


def asks(path: Path) -> bool:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return any(ast.unparse(node) in OWN_CLOCK for node in nodes if isinstance(node, ast.Attribute))


def test_no_module_asks_the_processs_clock_without_a_reason() -> None:
    assert {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if asks(path)} == set(REASONS)
