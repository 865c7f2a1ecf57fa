"""What is shown: read from the API, as far as the token allows."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from headrace.cli.core.errors import NotAllowed

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

RUNNING, ENDED_BADLY, MOST_WORKERS, MOST_QUEUES = 200, 30, 200, 200
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TopFacts:
    """One look. Lists that the token may not see are none."""

    summary: Item
    steps: list[Item]
    step_seconds: float
    queues: list[Item] | None
    workers: list[Item] | None
    jobs: list[Item]

    def as_dict(self) -> Item:
        """For programs."""
        return asdict(self)


async def read_facts(api: Api) -> TopFacts:
    """All at once, so that the parts fit together and a distant server is asked in one go."""
    summary, chart, queues, workers, running, ended = await asyncio.gather(
        api.get("/jobs/summary", window="1h"),
        api.get("/charts/throughput", window="1h"),
        _allowed(api, "/admin/queues", limit=MOST_QUEUES),
        _allowed(api, "/admin/workers", limit=MOST_WORKERS, state="live"),
        api.get("/jobs", status=["running"], limit=RUNNING),
        api.get("/jobs", status=["failed", "dead_letter"], limit=ENDED_BADLY),
    )
    jobs = sorted(running["items"], key=lambda job: job["started_at"] or "") + ended["items"]
    return TopFacts(summary, chart["items"], chart["step_seconds"], _busiest_first(queues), workers, jobs)


async def _allowed(api: Api, path: str, **params: Any) -> list[Item] | None:
    try:
        items: list[Item] = (await api.get(path, **params))["items"]
    except NotAllowed:
        return None
    return items


def _busiest_first(queues: list[Item] | None) -> list[Item] | None:
    """Where there is something to see; else by name, so that they stay where they are."""
    if queues is None:
        return None
    return sorted(
        queues, key=lambda queue: (not (queue["depth"]["queued"] or queue["depth"]["running"]), queue["queue"])
    )
