"""Requests that a page elsewhere has a browser send: it says whose page, and cannot be made to lie."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from headrace.errors import Forbidden

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def require_same_origin(request: Request, *, or_none: bool = False) -> None:
    """Refuse a change that does not come from a page of this server.

    `or_none`: programs, which say no origin, may. The name and port are compared, and the scheme only when it is https
    here: a proxy that ends TLS speaks http to us.
    """
    origin = request.headers.get("Origin")
    if request.method in SAFE or (origin is None and or_none):
        return
    page = urlsplit(origin or "")
    own = page.netloc != "" and page.netloc.lower() == request.headers.get("Host", "").lower()
    if not own or (request.url.scheme == "https" and page.scheme != "https"):
        raise Forbidden(f"cross-origin request rejected: the origin is {origin or 'not given'}")
