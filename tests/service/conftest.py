"""The API's fixtures, for tests that go a floor below."""

from tests.api.conftest import acme, admin, api, globex

__all__ = ["acme", "admin", "api", "globex"]
