"""Tests that run again with a login that holds one role of the database and nothing else: `tiers.py` says which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from headrace.db.roles import ROLES

if TYPE_CHECKING:
    from tests.servers import TestServer


class Login(NamedTuple):
    """With which role the processes under test log in, and on which server; without one they own the schema."""

    role: str | None = None
    server: TestServer | None = None


OWNER = Login()
_NOW = [OWNER]


def name_of(role: str) -> str:
    """The login that holds a role, on every server of the tests."""
    return role.replace("headrace_", "test_")


def as_login(url: str, role: str) -> str:
    """The address of the same database for the holder of a role."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{name_of(role)}@{parts.netloc.rpartition('@')[2]}"))


def own_url(url: str) -> str:
    """The address at which processes under test log in, and not the test beside them."""
    role = _NOW[0].role
    return url if role is None else as_login(url, role)


def log_in(login: Login) -> None:
    """From now on as this one."""
    _NOW[0] = login


def statements() -> str:
    """Make a login for each role; once for a server."""
    return ";".join(f"create role {name_of(role)} login in role {role}" for role in ROLES if role != "headrace_tenant")
