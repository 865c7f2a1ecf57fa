"""The verbs of the overview."""

from __future__ import annotations

from headrace.service.base import TenantService
from headrace.service.overview.decide import OverviewHealth, assess
from headrace.service.overview.facts import OverviewFacts, read_facts


class Overview(TenantService):
    """How things are."""

    async def health(self, *, tenant: str | None = None) -> tuple[OverviewHealth, OverviewFacts]:
        """What is wrong now and where, and what that was told from."""
        async with self._begin("overview.read", tenant) as scope:
            facts = await read_facts(scope)
        return assess(facts), facts
