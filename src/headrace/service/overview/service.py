"""The verbs of the overview."""

from __future__ import annotations

from headrace.service.base import Verbs
from headrace.service.overview.decide import Health, judge
from headrace.service.overview.facts import Facts, read_facts


class Overview(Verbs):
    """How things are."""

    async def health(self, *, tenant: str | None = None) -> tuple[Health, Facts]:
        """What is wrong now and where, and what that was told from."""
        async with self._enter("overview.read", tenant) as act:
            facts = await read_facts(act)
        return judge(facts), facts
