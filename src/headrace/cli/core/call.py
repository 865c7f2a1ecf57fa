"""What every command that speaks to the API shares: its options, its connection, its way of running."""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, ParamSpec, get_type_hints

import typer

from headrace.cli.output.tables import Show
from headrace.errors import BadRequest

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

P = ParamSpec("P")

Url = Annotated[
    str | None,
    typer.Option(
        "--url", help="A server's address; the configured database when absent.", rich_help_panel="Connection"
    ),
]
Token = Annotated[str | None, typer.Option("--token", help="A token for that server.", rich_help_panel="Connection")]
Tenant = Annotated[
    str | None, typer.Option("--tenant", help="Work for this tenant only.", rich_help_panel="Connection")
]
Config = Annotated[str | None, typer.Option("--config", help="The configuration file.", rich_help_panel="Connection")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON; for lists one line for each item.")]
COMMON: dict[str, tuple[Any, Any]] = {
    "as_json": (Json, False),
    "url": (Url, None),
    "token": (Token, None),
    "tenant": (Tenant, None),
    "config": (Config, None),
}


@dataclass
class Call:
    """One call of the command line: where to, for whom, and how to answer."""

    url: str | None = None
    token: str | None = None
    tenant: str | None = None
    config: str | None = None
    as_json: bool = False
    show: Show = field(default_factory=Show)

    @asynccontextmanager
    async def api(self) -> AsyncIterator[Api]:
        """The API: of a server, or in this process over the configured database. The rest is one code path."""
        if self.url is not None:
            from headrace.cli.core.remote import remote_api

            opened = remote_api(self.url, self.token, tenant=self.tenant)
        else:
            from headrace.cli.core.in_process import local_api

            opened = local_api(tenant=self.tenant, config=self.config)
        async with opened as api:
            yield api


def speaks_to_api(function: Callable[Concatenate[Call, P], Awaitable[None]]) -> Callable[..., None]:
    """Make an async function a command: with the options that all have, and a `Call` before its own arguments."""
    own = inspect.signature(function, eval_str=True)
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for name, p in own.parameters.items() if name != "call"]
    common = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in COMMON.items()
    ]

    @functools.wraps(function)
    def command(**given: Any) -> None:
        said = {name: given.pop(name) for name in COMMON}
        asyncio.run(_run(function, make_call(**said), given))

    hints = get_type_hints(function, include_extras=True)
    command.__annotations__ = {
        **{p.name: hints[p.name] for p in parameters},
        **{name: annotation for name, (annotation, _) in COMMON.items()},
    }
    vars(command)["__signature__"] = inspect.Signature([*parameters, *common])
    del vars(command)["__wrapped__"]  # or it would be asked instead
    return command


async def _run(function: Callable[..., Awaitable[None]], call: Call, given: dict[str, Any]) -> None:
    await function(call, **given)


def make_call(*, url: str | None, token: str | None, tenant: str | None, config: str | None, as_json: bool) -> Call:
    """With what the environment and an earlier sign-in say where flags do not."""
    from headrace.cli.core.stored_tokens import read_token

    url = url or os.environ.get("HEADRACE_URL") or None
    if url is None and token is not None:
        raise BadRequest("--token needs a server: give its address with --url")
    if url is not None:
        token = token or os.environ.get("HEADRACE_TOKEN") or read_token(url)
    return Call(url, token, tenant, config, as_json, Show(as_json=as_json))
