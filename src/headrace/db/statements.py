"""SQL lives in a file beside its verb: `queue/claim.py` reads `queue/claim.sql`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from headrace.model.settings.nouns import NOUNS

# A name, and the comment right above it.
_NAME = re.compile(r"(?:^--[^\n]*\n)*^-- (name|part): ([a-z_]+)$", re.MULTILINE)
_INCLUDE = re.compile(r"^ *-- include: ([a-z_]+)$", re.MULTILINE)
_SLOT = re.compile(rf"(?P<of>\b[a-z]+\.)?\{{(?P<noun>{'|'.join(NOUNS)})(?P<defaults> defaults)?\}}")


@cache
def statements(python_file: str) -> Mapping[str, str]:
    """The named statements of the `.sql` file beside a module: `SQL = statements(__file__)`."""
    return read_statements(Path(python_file).with_suffix(".sql"))


def read_statements(sql_file: Path) -> Mapping[str, str]:
    """Split a file at its `-- name:` lines. The comment above a name is for readers of the file alone.

    Lines that several statements share stand once, under `-- part:`, and `-- include:` brings them in.
    """
    _, *pieces = _NAME.split(sql_file.read_text(encoding="utf-8"))
    found = list(zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True))
    parts = {name: text.strip("\n") for kind, name, text in found if kind == "part"}
    whole = {name: text.strip() for kind, name, text in found if kind == "name"}
    return {name: expand(_INCLUDE.sub(lambda line: parts[line[1]], text)) for name, text in whole.items()}


def expand(text: str) -> str:
    """Fills the slots of settings, which only the model lists.

    `new.{definition}` becomes `new.queue, new.priority, …`, and `{definition defaults}` their defaults as JSON.
    """
    return _SLOT.sub(_fill, text)


def _fill(slot: re.Match[str]) -> str:
    model = NOUNS[slot["noun"]]
    if slot["defaults"]:
        return json.dumps(model().model_dump())
    return ", ".join(f"{slot['of'] or ''}{name}" for name in model.model_fields)
