"""Every command of the command line, with what is tried of it.

A new command gets a line in the file of its noun here: what its example tells people, the names that programs get, and
a mistake with its exit code. Commands that run on and on, or that are about this machine, stand in `machine.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from scripts.cli_reference import commands, example_of
from tests.cli.every.admin import ADMIN
from tests.cli.every.entry import Entry
from tests.cli.every.jobs import JOBS
from tests.cli.every.operating import OPERATING
from tests.cli.every.triggers import TRIGGERS
from tests.cli.every.work import WORK

# By the file: a world is set up for each, so these are few.
FILES: dict[str, dict[str, Entry]] = {
    "jobs": JOBS,
    "triggers": TRIGGERS,
    "work": WORK,
    "admin": ADMIN,
    "operating": OPERATING,
}
TABLE: dict[str, Entry] = {path: entry for entries in FILES.values() for path, entry in entries.items()}
HERE = "tests/cli/every"
WHERE = "jobs.py, triggers.py, work.py, operating.py or admin.py; machine.py if it does not speak to the API"


@cache
def tree() -> dict[str, Any]:
    """The commands that there are."""
    return dict(commands())


def groups() -> list[tuple[str, ...]]:
    """The words of every group of commands, and none for the root."""
    return sorted({words[:count] for words in map(tuple, map(str.split, tree())) for count in range(len(words))})


def example(path: str) -> str:
    """The one in its help."""
    found = example_of(tree()[path])
    assert found is not None, f"the help of headrace {path} has no line 'Example: headrace {path} …'"
    return found.removeprefix("headrace ")


def first_of_each_group(paths: Iterable[str]) -> list[str]:
    """The first of the commands that share their first word."""
    firsts = {path.split()[0]: path for path in reversed(list(paths))}
    return list(reversed(firsts.values()))


def missing(known: set[str]) -> str:
    """What to add where, for commands that have no entry; empty when all have one."""
    lines = [
        f'headrace {path} is not tried: add "{path}": Entry(says, bad, code, complaint, keys) to {HERE}/ ({WHERE})'
        for path in tree()
        if path not in known
    ]
    return "\n".join(lines)
