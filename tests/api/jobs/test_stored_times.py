"""Times that Python has no year for never get into a table."""

from __future__ import annotations

import asyncpg
import pytest
from tests.api.conftest import Api


async def test_the_table_refuses_a_time_that_python_has_no_year_for(api: Api) -> None:
    await api.execute("select headrace.enqueue('work', tenant => 'acme')")
    for at in ("0044-03-15 BC", "275760-09-13", "infinity"):
        with pytest.raises(asyncpg.CheckViolationError, match="due_between_1900_and_9000"):
            await api.execute("update headrace.job set scheduled_for = $1::text::timestamptz", at)
