"""Write the reference pages that come from the code: `make docs`. A test checks that they are up to date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from headrace.config import Settings, keys, variable

CONFIGURATION = Path(__file__).parents[1] / "docs" / "reference" / "configuration.md"

HEAD = """\
# Configuration

Read once, in this order, the later ones winning: `headrace.toml` (found upwards from the working directory, or named by
`HEADRACE_CONFIG`), environment variables, then flags and arguments. Unknown keys and values out of range are refused,
all at once, each with its source.

| key | variable | default | allowed | what |
|---|---|---|---|---|
"""


def configuration_page() -> str:
    """Every key of the settings."""
    return HEAD + "".join(_row(path) for path in keys())


def _row(path: tuple[str, ...]) -> str:
    field = _field(path)
    default = field.default if not isinstance(field.default, tuple) else ",".join(field.default)
    cells = (
        f"`{'.'.join(path)}`",
        f"`{variable(path)}`",
        "none" if default is None else f"`{default}`",
        _allowed(field),
        field.description or "",
    )
    return f"| {' | '.join(cells)} |\n"


def _field(path: tuple[str, ...]) -> FieldInfo:
    model: type[BaseModel] = Settings
    for part in path[:-1]:
        inner: Any = model.model_fields[part].annotation
        model = inner
    return model.model_fields[path[-1]]


def _allowed(field: FieldInfo) -> str:
    bounds = {name: getattr(rule, name) for rule in field.metadata for name in ("ge", "le") if hasattr(rule, name)}
    return f"{bounds['ge']} to {bounds['le']}" if len(bounds) == 2 else ""


if __name__ == "__main__":
    CONFIGURATION.write_text(configuration_page(), encoding="utf-8")
