"""SQL lives in a file beside its verb: `queue/claim.py` reads `queue/claim.sql`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

# A name, and the comment right above it.
_NAME = re.compile(r"(?:^--[^\n]*\n)*^-- name: ([a-z_]+)$", re.MULTILINE)


@cache
def statements(python_file: str) -> Mapping[str, str]:
    """The named statements of the `.sql` file beside a module: `SQL = statements(__file__)`."""
    return read_statements(Path(python_file).with_suffix(".sql"))


def read_statements(sql_file: Path) -> Mapping[str, str]:
    """Split a file at its `-- name:` lines. The comment above a name is for readers of the file alone."""
    _, *parts = _NAME.split(sql_file.read_text(encoding="utf-8"))
    return {name: text.strip() for name, text in zip(parts[::2], parts[1::2], strict=True)}
