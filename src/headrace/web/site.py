"""The dashboard around the API: files and the page are answered here, all else there."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from headrace.web.files import File, FileCache, Files
from headrace.web.headers import SafeHeaders
from headrace.web.page import TEMPLATE, IndexPage, make_page

FOR_PROGRAMS = ("/api", "/healthz", "/readyz", "/metrics")
FOREVER = "public, max-age=31536000, immutable"


class Site:
    """An ASGI application; it may be mounted anywhere."""

    def __init__(self, api: ASGIApp, *, https: Callable[[], bool] = lambda: False) -> None:
        self.api = api
        self._shelf = FileCache()
        self._pages: dict[tuple[str, str], IndexPage] = {}
        self._safe = SafeHeaders(self._serve, https=https)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._safe(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._answer(scope) if scope["type"] == "http" else None
        await (answer or self.api)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        """A file or the page; None is the API's to answer."""
        root = scope.get("root_path", "")
        path = scope["path"].removeprefix(root)
        if scope["method"] not in ("GET", "HEAD") or path.startswith(FOR_PROGRAMS):
            return None
        headers = Headers(scope=scope)
        if path.startswith("/static/"):
            return self._file(path, headers)
        # An address in the dashboard, if a browser asks; programs are told that there is nothing.
        return self._page(root) if "text/html" in headers.get("Accept", "") else None

    def _file(self, path: str, headers: Headers) -> Response | None:
        _, _, mark, name = path.split("/", 3) if path.count("/") >= 3 else ("", "", "", "")
        files = self._shelf.files
        if mark != files.mark or name == TEMPLATE or name not in files.by_name:
            return None
        return _send(files.by_name[name], packed="gzip" in headers.get("Accept-Encoding", ""))

    def _page(self, root: str) -> Response:
        files: Files = self._shelf.look()
        key = (files.mark, root)
        if key not in self._pages:
            self._pages = {key: make_page(files, root)}
        page = self._pages[key]
        said = {"Content-Security-Policy": page.policy, "Cache-Control": "no-cache"}
        return Response(page.content, media_type="text/html; charset=utf-8", headers=said)


def _send(file: File, *, packed: bool) -> Response:
    said = {"Cache-Control": FOREVER, "Vary": "Accept-Encoding"}
    if packed and file.packed is not None:
        return Response(file.packed, media_type=file.kind, headers={**said, "Content-Encoding": "gzip"})
    return Response(file.content, media_type=file.kind, headers=said)
