"""A webhook: one POST, to an address that was looked up once and found to be no inner one."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx

from headrace.alerts.sent import NotSent, Sent
from headrace.errors import BadRequest
from headrace.model.alert.web_address import Allowed, Ip, WebAddress, check_address, literal, refuse_private
from headrace.model.text import clean
from headrace.version import __version__

MOST_ANSWER = 1000


async def post(
    url: str,
    content: bytes,
    headers: Mapping[str, str],
    *,
    allowed: Allowed,
    within: float,
    tls_ca: Path | None = None,
) -> Sent:
    """Send it, or `NotSent`. Anything but 2xx is a failure; redirects are not followed."""
    try:
        async with asyncio.timeout(within):
            address = check_address(url, allowed)
            ips = await look_up(address, allowed)
            async with _client(address, within, tls_ca) as client:
                return await _post_to_one(client, address, ips, content, headers)
    except TimeoutError:
        raise NotSent(f"no answer within {within:g} s") from None
    except BadRequest as error:
        raise NotSent(str(error)) from None
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise NotSent(f"{type(error).__name__}: {error}".rstrip(": ")) from None


async def look_up(address: WebAddress, allowed: Allowed) -> list[Ip]:
    """The addresses that a name stands for. Where one of several leads inside, the name is not trusted at all."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise NotSent(f"{address.host} cannot be looked up: {error.strerror or error}") from None
    ips = list(dict.fromkeys(ip for ip in (literal(str(where[0])) for *_, where in found) if ip is not None))
    for ip in ips:
        refuse_private(address.host, ip, allowed)
    if not ips:
        raise NotSent(f"{address.host} has no address")
    return ips


def _client(address: WebAddress, within: float, tls_ca: Path | None) -> httpx.AsyncClient:
    """Without the environment's proxies. Certificates are read where there is one to check."""
    verify: ssl.SSLContext | bool = False
    if address.scheme == "https":
        verify = httpx.create_ssl_context(trust_env=False)
        if tls_ca is not None:
            verify.load_verify_locations(tls_ca)
    return httpx.AsyncClient(trust_env=False, follow_redirects=False, timeout=within, verify=verify)


async def _post_to_one(
    client: httpx.AsyncClient, address: WebAddress, ips: Sequence[Ip], content: bytes, headers: Mapping[str, str]
) -> Sent:
    """The next address is for when nobody is at the one before."""
    for ip in ips[:-1]:
        try:
            return await _post(client, address, ip, content, headers)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            continue
    return await _post(client, address, ips[-1], content, headers)


async def _post(
    client: httpx.AsyncClient, address: WebAddress, ip: Ip, content: bytes, headers: Mapping[str, str]
) -> Sent:
    """To the address itself, so that nobody can answer otherwise a second time; TLS is checked for the name."""
    host = f"[{ip}]" if ip.version == 6 else str(ip)
    url = f"{address.scheme}://{host}:{address.port}{address.target}"
    sent = {**headers, "Host": address.name, "User-Agent": f"headrace/{__version__}", "Connection": "close"}
    name = {"sni_hostname": address.host}
    async with client.stream("POST", url, content=content, headers=sent, extensions=name) as answer:
        status = answer.status_code
        if 200 <= status < 300:
            return Sent(f"answered {status}", status)
        if 300 <= status < 400:
            raise NotSent(f"answered {status}: redirects are not followed", status_code=status)
        raise NotSent(f"answered {status}: {await _beginning(answer)}".rstrip(": "), status_code=status)


async def _beginning(answer: httpx.Response) -> str:
    """Some of what it says, however much that is."""
    read = b""
    async for part in answer.aiter_raw(MOST_ANSWER):
        read += part
        if len(read) >= MOST_ANSWER:
            break
    return clean(read[:MOST_ANSWER].decode("utf-8", "replace").strip(), MOST_ANSWER)
