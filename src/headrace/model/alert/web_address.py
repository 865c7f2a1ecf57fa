"""Where a webhook may go: checked as text, and again as the address that its name stands for."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from headrace.errors import BadRequest

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}
# The addresses that the public internet gives out; what carries an IPv4 address within is judged by that one.
GLOBAL = ipaddress.ip_network("2000::/3")
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# A host in brackets is an address and nothing else: `[::1].evil.example` is read in two ways.
NAME = re.compile(r"[A-Za-z0-9._-]+")
IN_BRACKETS = re.compile(r"\[[0-9A-Fa-f:.]+\](:[0-9]*)?")
MOST_CHARACTERS = 2000


class WebAddress(NamedTuple):
    """An address of the web in its parts; `target` is what a request asks for."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def name(self) -> str:
        """The host, and the port where it is not the usual one, as a `Host` header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


class Allowed(NamedTuple):
    """What lies within the own network and may be reached all the same: everything, or hosts and networks by name."""

    private: bool = False
    hosts: Sequence[str] = ()

    def has(self, host: str, ip: Ip | None) -> bool:
        """Whether it is among them."""
        return self.private or any(_fits(entry, host, ip) for entry in self.hosts)


NOTHING = Allowed()


def read_address(url: str) -> WebAddress:
    """The parts of an address, or `BadRequest`."""
    try:
        parts = urlsplit(url)
        port = parts.port
        host = parts.hostname or ""
        host = host if ":" in host else host.encode("idna").decode()
    except ValueError:  # a port that is no number, or a name that is none
        raise BadRequest(f"{url!r:.200} is not a URL", field="address") from None
    if parts.scheme not in PORTS or not host or len(url) > MOST_CHARACTERS or any(c <= " " for c in url):
        raise BadRequest(f"an address begins with https:// or http:// and a host, not {url!r:.200}", field="address")
    if "@" in parts.netloc:
        raise BadRequest("an address has no user and password in it", field="address")
    if (problem := _odd(parts.netloc, parts.hostname or "", host)) is not None:
        raise BadRequest(f"the host of {url!r:.200} {problem}", field="address")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return WebAddress(parts.scheme, host, port or PORTS[parts.scheme], target)


def _odd(netloc: str, written: str, host: str) -> str | None:
    """Why a host is one that programs read in different ways, and what to write."""
    if "[" in netloc and not IN_BRACKETS.fullmatch(netloc):
        return "has more than an address in its brackets or behind them: write [ADDRESS] or [ADDRESS]:PORT"
    if host.endswith("."):
        return "ends in a dot: leave it out"
    ip = literal(host)
    if ip is None:
        return None if NAME.fullmatch(host) else "has characters that no name has"
    if (within := _within(ip)) is not None:
        return f"is another way to write {within}: write that"
    if ip.version == 4 and written != str(ip):
        return f"is another way to write {ip}: write that"
    return None


def check_address(url: str, allowed: Allowed = NOTHING) -> WebAddress:
    """The parts of an address that does not say by itself that it leads inside, or `BadRequest`."""
    address = read_address(url)
    ip = literal(address.host)
    if ip is not None:
        refuse_private(address.host, ip, allowed)
    elif (address.host == "localhost" or address.host.endswith(".localhost")) and not allowed.has(address.host, None):
        raise _refused(address.host, "this machine")
    return address


def literal(host: str) -> Ip | None:
    """The address that a host is, in any way of writing that the system takes: `127.1`, `0x7f000001`, `2130706433`."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


def refuse_private(host: str, ip: Ip, allowed: Allowed) -> None:
    """`BadRequest` for what is not an address of the public internet, unless it is allowed."""
    what = _private(ip)
    if what is not None and not allowed.has(host, ip):
        raise _refused(host if host == str(ip) else f"{host} ({ip})", what)


def masked_address(url: str) -> str:
    """For people to see: chats have their secret in the last part of the path, others in the query."""
    parts = urlsplit(url)
    head, slash, last = (parts.path or ("/" if parts.query else "")).rpartition("/")
    return f"{parts.scheme}://{parts.netloc}{head}{slash}{'***' if last or parts.query else ''}"


def _private(ip: Ip) -> str | None:
    """What an address is that is not public."""
    if (within := _within(ip)) is not None:
        return _private(within)
    if ip.is_loopback or ip.is_unspecified:
        return "this machine"
    if ip.is_link_local:
        return "a link-local address, where clouds keep their metadata"
    if ip.is_multicast:
        return "a multicast address"
    is_public = ip.is_global and (ip.version == 4 or ip in GLOBAL)
    return None if is_public else "a private or reserved address"


def _within(ip: Ip) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to."""
    if isinstance(ip, ipaddress.IPv4Address):
        return None
    if ip in NAT64:
        return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour


def _fits(entry: str, host: str, ip: Ip | None) -> bool:
    if entry.lower() == host.lower():
        return True
    try:
        return ip is not None and ip in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        return False


def _refused(where: str, what: str) -> BadRequest:
    return BadRequest(
        f"notices are not sent to {where}, which is {what}. An operator can allow the host with alerts.allow_hosts",
        field="address",
    )
