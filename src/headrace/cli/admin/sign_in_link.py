"""`headrace sign-in`: a link to the dashboard."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from headrace.cli.output.tables import Show
from headrace.errors import NotFound


def sign_in(
    url: Annotated[
        str | None, typer.Argument(metavar="[URL]", help="The server's address; the configured one when absent.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the embedded PostgreSQL.")] = None,
    config: Annotated[str | None, typer.Option("--config", help="The configuration file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print a link that signs a browser in as super-admin: once, within 60 seconds.

    It needs the database, as headrace dev and headrace serve do.

    Example: headrace sign-in
    """
    link = asyncio.run(_make_link(url, config, data_dir))
    Show(as_json=as_json).said(link, {"link": link})
    sys.stdout.flush()
    if sys.stdout.isatty() and not as_json:
        print("Open the link within 60 seconds; it works once.", file=sys.stderr)  # noqa: T201


async def _make_link(url: str | None, config: str | None, data_dir: Path | None) -> str:
    from headrace.app.serve.serve import address
    from headrace.app.serve.sign_in_link import sign_in_link
    from headrace.cli.core.runtime import local_runtime
    from headrace.config import load_settings

    settings = load_settings(file=None if config is None else Path(config), flags={"data_dir": data_dir})
    if settings.database.url is None and not settings.data_dir.is_dir():
        raise NotFound(f"there is no database in {settings.data_dir}: name the folder of headrace dev with --data-dir")
    async with local_runtime(config, data_dir=data_dir) as runtime:
        return await sign_in_link(runtime, url or address(runtime.settings.server))
