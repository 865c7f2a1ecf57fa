"""Weeks of the past, on every PostgreSQL that is here."""

from __future__ import annotations

import pytest
from tests.engine import Engine
from tests.retention.history import Past


@pytest.fixture
async def past(engine: Engine) -> Past:
    """Fifteen weeks before this one, and a definition `work`."""
    past = Past(engine)
    await past.weeks(15)
    await past.define("work")
    return past
