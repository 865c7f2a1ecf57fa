"""Passwords in addresses of servers, wherever libpq and others let them stand."""

from __future__ import annotations

import re
from urllib.parse import unquote

from headrace.model.secret.fields import looks_secret

MASK = "***"
# `user:password@`, up to the last @ of all: a password that is not escaped may have any character.
_LOGIN = re.compile(r"((?:://|^(?!.*://))[^:/?#@]*):.*@", re.DOTALL)
_QUERY = re.compile(r"([?&])([^=&]+)(=)([^&]*)")
# libpq's own form: `host=db password='with \'quotes\''`.
_WORDS = re.compile(r"(^|\s)([\w.]+)(\s*=\s*)('(?:\\.|[^'\\])*'?|(?:\\.|\S)*)", re.DOTALL)


def mask_passwords(text: str) -> str:
    """The text without the passwords of an address: a URL with one host or several, or libpq's key=value."""
    return _WORDS.sub(_mask_pair, _QUERY.sub(_mask_pair, _LOGIN.sub(rf"\1:{MASK}@", text)))


def _mask_pair(found: re.Match[str]) -> str:
    before, name, equals, value = found.groups()
    return f"{before}{name}{equals}{MASK if is_password(unquote(name)) else value}"


def is_password(name: str) -> bool:
    """Whether a parameter of that name is secret: password, sslpassword, access_token, …"""
    return "password" in name.lower() or looks_secret(name)
