"""The API of a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from headrace.cli.core.api import Api, Reply
from headrace.cli.core.errors import Unreachable
from headrace.cli.startup.httpx_import import httpx
from headrace.errors import BadRequest

PATIENCE = 60


class RemoteClient:
    """Requests over the network; what goes wrong with it is `Unreachable`."""

    def __init__(self, client: httpx.AsyncClient, place: str) -> None:
        self._client = client
        self.place = place

    @asynccontextmanager
    async def send(
        self, method: str, target: str, body: bytes | None = None, *, endless: bool = False
    ) -> AsyncIterator[Reply]:
        """The answer to a request, open until the block ends."""
        headers = {} if body is None else {"Content-Type": "application/json"}
        timeout = httpx.Timeout(PATIENCE, read=None if endless else PATIENCE)
        answered = False
        try:
            async with self._client.stream(method, target, content=body, headers=headers, timeout=timeout) as answer:
                answered = True
                yield Reply(answer.status_code, answer.headers.get("Content-Type", ""), answer.aiter_bytes())
        except httpx.TransportError as error:
            what = str(error) or type(error).__name__
            if answered:
                raise Unreachable(
                    f"{self.place} closed the connection: {what}. Try again when the server is back."
                ) from error
            raise Unreachable(f"cannot reach {self.place}: {what}. Check --url, and that the server runs.") from error


@asynccontextmanager
async def remote_api(url: str, token: str | None, *, tenant: str | None = None) -> AsyncIterator[Api]:
    """The API of the server at an address."""
    if not url.startswith(("http://", "https://")):
        raise BadRequest(f"--url is the address of a server, for example http://127.0.0.1:8720, not {url!r}")
    headers = {} if tenant is None else {"X-Headrace-Tenant": tenant}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    # Certificates are read where there is one to check; that takes as long as all the rest.
    safe = url.startswith("https://")
    async with httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers, verify=safe) as client:
        yield Api(RemoteClient(client, url))
