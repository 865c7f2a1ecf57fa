"""Jobs by a part of their id: its beginning or its end, for jobs of one moment begin alike."""

from __future__ import annotations

import re
from typing import Any

from headrace.cli.core.api import Api
from headrace.errors import NotFound

WHOLE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PART = re.compile(r"[0-9a-f-]{3,35}")
# How far back a part of an id is looked for.
LOOKED_THROUGH = 5_000
# The end of an id is random: with so much of it nobody needs to look whether there is another.
SURE = 8
SHOWN = 4


class JobFinder:
    """Finds ids by their parts; the list of the newest jobs is read once at most."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._ids: list[str] | None = None

    async def id(self, part: str) -> str:
        """The id of the one job that is meant, or `NotFound`."""
        said = part.strip().lower()
        if WHOLE.fullmatch(said):
            return said
        if not PART.fullmatch(said):
            raise NotFound(f"{part!r} is neither a job's id nor a prefix or suffix of three characters or more")
        found = [known for known in await self._newest(said) if known.startswith(said) or known.endswith(said)]
        if len(found) > 1:
            some = ", ".join(found[:SHOWN]) + (", …" if len(found) > SHOWN else "")
            raise NotFound(f"{len(found)} jobs match {part!r}: {some}. Give more characters of the id")
        if not found:
            raise NotFound(
                f"none of the newest {LOOKED_THROUGH:,} jobs matches {part!r}. For an older job give the whole id"
            )
        return found[0]

    async def _newest(self, said: str) -> list[str]:
        if self._ids is None:
            seen: list[str] = []
            async for job in self._api.items("/jobs", limit=LOOKED_THROUGH):
                seen.append(job["id"])
                if len(said) >= SURE and job["id"].endswith(said):
                    return [job["id"]]
            self._ids = seen
        return self._ids


async def find_job(api: Api, part: str) -> dict[str, Any]:
    """The whole job that is meant, or `NotFound`."""
    job: dict[str, Any] = await api.get(f"/jobs/{await JobFinder(api).id(part)}")
    return job
