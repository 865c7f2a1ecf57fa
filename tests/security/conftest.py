"""The API's fixtures, for attacks on it."""

from tests.api.conftest import acme, admin, api, globex

__all__ = ["acme", "admin", "api", "globex"]
