"""The API as commands use it: JSON in and out, problems as errors, pages as one list."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar

from headrace.cli.errors import NotAllowed, Unreachable
from headrace.cli.quick_httpx import httpx
from headrace.errors import BadRequest, Conflict, HeadraceError, NotFound

PREFIX = "/api/v1"
LARGEST_PAGE = 500


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

    def __init__(self, client: httpx.AsyncClient, place: str) -> None:
        self._client = client
        self._place = place
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
        try:
            answer = await self._client.get("/readyz")
        except httpx.TransportError as error:
            raise self._away(error) from error
        if "json" not in answer.headers.get("content-type", ""):
            raise Unreachable(f"{self._place} answers, but not as Headrace does. Check --url.")
        return answer.status_code, answer.json()

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
        query = _given(params)
        try:
            async with self._client.stream("GET", PREFIX + path, params=query, timeout=None) as answer:
                if answer.status_code >= 400:
                    await answer.aread()
                    raise self._problem(answer)
                event = {"event": "message", "id": "", "data": ""}
                async for line in answer.aiter_lines():
                    if not line:
                        if event["data"]:
                            yield event["event"], event["id"], event["data"]
                        event = {"event": "message", "id": event["id"], "data": ""}
                        continue
                    name, _, value = line.partition(":")
                    if name in event:
                        value = value.removeprefix(" ")
                        event[name] = f"{event[name]}\n{value}" if name == "data" and event["data"] else value
        except httpx.TransportError as error:
            raise Unreachable(f"{self._place} went away: {error or type(error).__name__}") from error

    async def _ask(self, method: str, path: str, *, body: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        try:
            answer = await self._client.request(method, PREFIX + path, json=body, params=_given(params or {}))
        except httpx.TransportError as error:
            raise self._away(error) from error
        self.last_status = answer.status_code
        if answer.status_code >= 400:
            raise self._problem(answer)
        if answer.status_code == 204 or not answer.content:
            return None
        if "json" not in answer.headers.get("content-type", ""):
            raise Unreachable(f"{self._place} answers, but not as Headrace does. Check --url.")
        return answer.json()

    def _away(self, error: httpx.TransportError) -> Unreachable:
        what = str(error) or type(error).__name__
        return Unreachable(f"cannot reach {self._place}: {what}. Is the server running, and --url right?")

    def _problem(self, answer: httpx.Response) -> HeadraceError:
        if "json" not in answer.headers.get("content-type", ""):
            return Unreachable(f"{self._place} answers {answer.status_code}, but not as Headrace does. Check --url.")
        detail = answer.json().get("detail", f"refused with {answer.status_code}")
        if answer.status_code == 401:
            detail = f"{self._place} wants a good token: give --token, set HEADRACE_TOKEN, or use headrace login"
        return self.by_status.get(answer.status_code, HeadraceError)(detail)


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was not said."""
    return {name: value for name, value in params.items() if value is not None and value != []}


@asynccontextmanager
async def remote_api(url: str, token: str | None, *, tenant: str | None = None) -> AsyncIterator[Api]:
    """The API of a server."""
    if not url.startswith(("http://", "https://")):
        raise BadRequest(f"--url is the address of a server, such as http://127.0.0.1:8720, not {url!r}")
    headers = _tenant(tenant)
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    # Certificates are read where there is one to check; that takes as long as all the rest.
    safe = url.startswith("https://")
    async with httpx.AsyncClient(base_url=url.rstrip("/"), headers=headers, timeout=60, verify=safe) as client:
        yield Api(client, url)


@asynccontextmanager
async def local_api(*, tenant: str | None = None, config: str | None = None) -> AsyncIterator[Api]:
    """The API in this process, over the configured database, as the system."""
    from headrace.app.headrace import Headrace
    from headrace.cli.in_process import InProcess
    from headrace.service.principal import SYSTEM

    hr = Headrace(app="headrace", config=config)
    async with hr:
        transport = InProcess(hr.asgi(identify=lambda _request: SYSTEM))
        async with httpx.AsyncClient(
            transport=transport,
            base_url="http://in-process",
            headers=_tenant(tenant),
            timeout=None,
        ) as client:
            yield Api(client, "the database")


def _tenant(tenant: str | None) -> dict[str, str]:
    return {} if tenant is None else {"X-Headrace-Tenant": tenant}
