"""Tokens and browser sessions: create, list, revoke, look up."""

from headrace.service.tokens.service import Tokens

__all__ = ["Tokens"]
