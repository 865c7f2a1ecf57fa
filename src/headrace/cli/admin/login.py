"""`headrace login` and `headrace logout`: a token for a server, kept for later calls."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from typing import Annotated

import typer

from headrace.cli.core.errors import NotAllowed
from headrace.cli.output.tables import Show
from headrace.errors import BadRequest, NotFound

Server = Annotated[str, typer.Argument(metavar="URL", help="The server's address, for example http://127.0.0.1:8720.")]


def login(
    url: Server,
    token: Annotated[str | None, typer.Option("--token", help="The token; when absent, a prompt or stdin.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check a token and store it; later commands need only --url URL.

    It is kept in the user's configuration folder, in a file that nobody else can read.

    Example: headrace login http://127.0.0.1:8720 --token hr_…
    """
    from headrace.cli.core.stored_tokens import store_token

    given = (token or os.environ.get("HEADRACE_TOKEN") or _ask(url)).strip()
    if not given:
        raise BadRequest("the token is missing: give --token, or write the token to stdin")
    asyncio.run(_check(url, given))
    file = store_token(url, given)
    Show(as_json=as_json).said(
        f"signed in to {url}; the token is stored in {file}", {"url": url.rstrip("/"), "file": str(file)}
    )


def logout(
    url: Server,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Remove the stored token of a server; the token stays valid until it is revoked.

    Example: headrace logout http://127.0.0.1:8720
    """
    from headrace.cli.core.stored_tokens import forget_token

    if not forget_token(url):
        raise NotFound(f"no token is stored for {url}")
    Show(as_json=as_json).said(f"the token for {url} was removed", {"url": url.rstrip("/")})


def _ask(url: str) -> str:
    if sys.stdin.isatty():
        return getpass.getpass(f"Token for {url}: ")
    return sys.stdin.readline()


async def _check(url: str, token: str) -> None:
    """A token that opens nothing is refused here and not on its first use."""
    from headrace.cli.core.remote import remote_api

    async with remote_api(url, token) as api:
        try:
            await api.get("/definitions", limit=1)
        except NotAllowed as error:
            # A worker's token is good, and may not look around.
            if api.last_status != 403:
                raise NotAllowed(f"{url} refuses this token: the token is unknown, expired or revoked") from error
