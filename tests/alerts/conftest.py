"""A watchman on every PostgreSQL that is here."""

from __future__ import annotations

import pytest
from tests.alerts.alarming import Watchman
from tests.engine import Engine


@pytest.fixture
async def watch(engine: Engine) -> Watchman:
    """No rules yet."""
    watchman = Watchman(engine)
    await watchman.prepare()
    return watchman
