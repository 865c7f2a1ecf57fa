"""The API as commands use it: JSON in and out, problems as errors, pages as one list."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, NamedTuple, Protocol
from urllib.parse import urlencode

from headrace.cli.core.errors import NotAllowed, Unreachable
from headrace.errors import BadRequest, Conflict, HeadraceError, NotFound

PREFIX = "/api/v1"
LARGEST_PAGE = 500


class Reply(NamedTuple):
    """An answer, of which the body is read as it comes."""

    status: int
    content_type: str
    parts: AsyncIterator[bytes]


class ApiClient(Protocol):
    """The way to an API: `RemoteClient` or `InProcessClient`. A target is a path with its query."""

    place: str

    def send(
        self, method: str, target: str, body: bytes | None = None, *, endless: bool = False
    ) -> AbstractAsyncContextManager[Reply]: ...


class Api:
    """Requests to one server, or to the one in this process."""

    by_status: ClassVar[dict[int, type[HeadraceError]]] = {
        400: BadRequest,
        401: NotAllowed,
        403: NotAllowed,
        404: NotFound,
        409: Conflict,
        413: BadRequest,
        422: BadRequest,
    }

    def __init__(self, client: ApiClient) -> None:
        self._client = client
        self._place = client.place
        # Of the last answer: 200 rather than 201 says that something was there already.
        self.last_status = 0

    async def get(self, path: str, **params: Any) -> Any:
        """What is there."""
        return await self._ask("GET", path, params=params)

    async def post(self, path: str, body: Any = None, **params: Any) -> Any:
        """Make or do something."""
        return await self._ask("POST", path, body=body, params=params)

    async def patch(self, path: str, body: Any) -> Any:
        """Change something."""
        return await self._ask("PATCH", path, body=body)

    async def delete(self, path: str) -> Any:
        """Remove something."""
        return await self._ask("DELETE", path)

    async def readiness(self) -> tuple[int, dict[str, Any]]:
        """What the server says of itself, with the status."""
        async with self._client.send("GET", "/readyz") as reply:
            return reply.status, await self._read(reply)

    async def items(
        self, path: str, *, limit: int | None = 50, page: int = LARGEST_PAGE, **params: Any
    ) -> AsyncIterator[dict[str, Any]]:
        """The items of a list, page after page, up to a limit; all without one."""
        left = limit
        cursor = None
        while left is None or left > 0:
            size = page if left is None else min(left, page)
            found = await self.get(path, **params, limit=size, cursor=cursor)
            for item in found["items"]:
                yield item
                left = None if left is None else left - 1
            cursor = found.get("next_cursor")
            if cursor is None:
                return

    async def lines(self, path: str, **params: Any) -> AsyncIterator[tuple[str, str, str]]:
        """A stream of events as (event, id, data), for as long as the server sends them."""
        async with self._client.send("GET", _target(path, params), endless=True) as reply:
            if reply.status >= 400:
                raise await self._problem(reply)
            event = {"event": "message", "id": "", "data": ""}
            async for line in _lines(reply.parts):
                if not line:
                    if event["data"]:
                        yield event["event"], event["id"], event["data"]
                    event = {"event": "message", "id": event["id"], "data": ""}
                    continue
                name, _, value = line.partition(":")
                if name in event:
                    value = value.removeprefix(" ")
                    event[name] = f"{event[name]}\n{value}" if name == "data" and event["data"] else value

    async def _ask(self, method: str, path: str, *, body: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        async with self._client.send(method, _target(path, params or {}), content) as reply:
            self.last_status = reply.status
            if reply.status >= 400:
                raise await self._problem(reply)
            return None if reply.status == 204 else await self._read(reply)

    async def _read(self, reply: Reply) -> Any:
        content = b"".join([part async for part in reply.parts])
        if "json" not in reply.content_type:
            raise Unreachable(f"{self._place} is reachable, but did not return a Headrace API response. Check --url.")
        return json.loads(content) if content else None

    async def _problem(self, reply: Reply) -> HeadraceError:
        if "json" not in reply.content_type:
            return Unreachable(
                f"{self._place} is reachable, but returned {reply.status} without a Headrace API response. Check --url."
            )
        if reply.status == 401:
            return NotAllowed(
                f"{self._place} needs a valid token: give --token, set HEADRACE_TOKEN, or use headrace login"
            )
        detail = (await self._read(reply)).get("detail", f"refused with {reply.status}")
        return self.by_status.get(reply.status, HeadraceError)(detail)


def _target(path: str, params: Mapping[str, Any]) -> str:
    """Below the API's address, without what was not said."""
    said = {name: _texts(value) for name, value in params.items() if value is not None and value != []}
    return f"{PREFIX}{path}" + (f"?{urlencode(said, doseq=True)}" if said else "")


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [str(one).lower() if isinstance(one, bool) else str(one) for one in values]


async def _lines(parts: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """What comes in parts, line by line; a line that was not ended is left out."""
    begun = b""
    async for part in parts:
        *whole, begun = (begun + part).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").removesuffix("\r")
