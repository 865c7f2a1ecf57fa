"""A URL that names several hosts: which of them takes writes is found out anew for each connection."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qs, unquote, urlencode, urlsplit

import asyncpg

if TYPE_CHECKING:
    Opening = asyncio.Task[asyncpg.Connection[asyncpg.Record]]

TIMEOUT = 10.0


def each_host(url: str) -> list[str]:
    """One URL for each host that a URL names, in either of libpq's forms: `a:1,b:2` or `?host=/a,/b&port=1,2`."""
    parts = urlsplit(url)
    login, at, named = parts.netloc.rpartition("@")
    if named:
        return [_url(parts, netloc=f"{login}{at}{one}") for one in named.split(",")]
    query = parse_qs(parts.query)
    hosts = query.get("host", [""])[-1].split(",")
    if len(hosts) == 1:
        return [url]
    ports = query.get("port", [""])[-1].split(",")
    if len(ports) == 1:
        ports = ports * len(hosts)
    pairs = zip(hosts, ports, strict=True)
    return [_url(parts, query=_query(query | {"host": [host], "port": [port]})) for host, port in pairs]


def take_timeout(url: str) -> tuple[str, float]:
    """The URL without libpq's `connect_timeout`, which PostgreSQL would take for a setting, and what it says."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    if "connect_timeout" not in query:
        return url, TIMEOUT
    seconds = float(query.pop("connect_timeout")[-1])
    return _url(parts, query=_query(query)), seconds or TIMEOUT


def take_password(url: str) -> tuple[str, str | None]:
    """The URL as every user of the machine may see it, and its password. That of a client key libpq asks for itself."""
    parts = urlsplit(url)
    login, at, named = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    pairs = [pair.partition("=") for pair in parts.query.split("&") if pair]
    shown = "&".join("".join(pair) for pair in pairs if unquote(pair[0]) not in ("password", "sslpassword"))
    asked = [value for name, _, value in pairs if unquote(name) == "password"]
    return _url(parts, netloc=f"{user}{at}{named}", query=shown), unquote([password, *asked][-1]) or None


def _query(fields: Mapping[str, Sequence[str]]) -> str:
    return urlencode({name: values for name, values in fields.items() if any(values)}, doseq=True)


def _url(parts: SplitResult, **changes: str) -> str:
    parts = parts._replace(**changes)
    return f"{parts.scheme}://{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")


async def open_connection(
    dsn: str, *, within: float | None = None, **options: Any
) -> asyncpg.Connection[asyncpg.Record]:
    """A connection to the only host, or to the one of several that takes writes."""
    dsn, timeout = take_timeout(dsn)
    opening = partial(asyncpg.connect, timeout=min(timeout, within or timeout), **options)
    urls = each_host(dsn)
    if len(urls) == 1:
        return await opening(urls[0])
    if "target_session_attrs=" not in dsn:
        opening = partial(opening, target_session_attrs="read-write")
    return await _first_of([asyncio.ensure_future(opening(url)) for url in urls])


async def _first_of(tries: Sequence[Opening]) -> asyncpg.Connection[asyncpg.Record]:
    """All at once: a host that is gone without a word must not hold up the one that took over."""
    won: Opening | None = None
    pending = set(tries)
    try:
        while pending and won is None:
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            won = next((one for one in tries if one in done and one.exception() is None), None)
    finally:
        for one in tries:
            if one is not won:
                one.cancel()
                one.add_done_callback(_give_up)
    if won is None:
        raise _most_telling([error for one in tries if (error := one.exception()) is not None])
    return won.result()


def _give_up(one: Opening) -> None:
    if not one.cancelled() and one.exception() is None:
        one.result().terminate()


def _most_telling(errors: Sequence[BaseException]) -> BaseException:
    """A server's own words say more than that it takes no writes, and that more than that nobody answers."""
    telling = (asyncpg.PostgresError, asyncpg.TargetServerAttributeNotMatched, BaseException)
    return min(errors, key=lambda error: [isinstance(error, kind) for kind in telling].index(True))
