"""`--config` for commands that read the settings themselves, in this process and in those that it starts."""

from __future__ import annotations

import os
from typing import Annotated

import typer


def _use(file: str | None) -> str | None:
    if file is not None:
        os.environ["HEADRACE_CONFIG"] = file
    return file


ConfigFile = Annotated[str | None, typer.Option("--config", help="The configuration file.", callback=_use)]
