"""The application that the scheduler processes of these tests run: one job, which nobody needs to run."""

from __future__ import annotations

from headrace import Headrace

hr = Headrace(app="tests.chaos.world.triggers_app")


@hr.job
async def fired(edit: int = 0, n: int = 0) -> None:
    """Nothing: that it was enqueued is what counts."""
