"""Applications whose workers run the built-in jobs."""

from __future__ import annotations

import pytest
from tests.worker.running import app_on

from headrace import Headrace
from headrace.config import BuiltinSettings


@pytest.fixture
def hr(database_url: str) -> Headrace:
    """An application without jobs of its own."""
    return app_on(database_url, builtin=BuiltinSettings())
