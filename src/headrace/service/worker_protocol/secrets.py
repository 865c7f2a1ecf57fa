"""What must not be seen of the runs of workers over HTTP, who may be of any make: masked here before it is stored."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from headrace.db.connect import Connection
from headrace.db.statements import statements
from headrace.model.log.run_log import NOTHING_SECRET
from headrace.model.secret.encryption import SecretBox
from headrace.model.secret.mask_outcome import MANY_SECRETS
from headrace.model.secret.masking import Masker
from headrace.service.jobs.secrets import BATCH, read_secrets

SQL = statements(__file__)
MOST_REMEMBERED = 10_000
# Bytes that all remembered maskers look for; each takes about ten more to be found quickly.
LARGEST_REMEMBERED = 4_000_000


class Maskers:
    """The maskers of jobs, remembered: a job has the same one for as long as it runs."""

    def __init__(self) -> None:
        self._known: OrderedDict[UUID, Masker] = OrderedDict()
        self._size = 0

    async def find(
        self, conn: Connection, box: SecretBox, worker_id: int, job_ids: Iterable[UUID]
    ) -> Mapping[UUID, Masker]:
        """One for each job that is the worker's or was; one that masks nothing for a job without secrets.

        Of other jobs nothing is read: what the worker says of these is not stored.
        """
        wanted = set(job_ids)
        maskers = {job_id: self._known[job_id] for job_id in wanted & self._known.keys()}
        if unknown := list(wanted - maskers.keys()):
            own = [row[0] for row in await conn.fetch(SQL["own_jobs"], worker_id, unknown)]
            for at in range(0, len(own), BATCH):  # not the secrets of all at once
                some = own[at : at + BATCH]
                made = await _make(some, await read_secrets(conn, box, some))
                for job_id, masker in made.items():
                    self._remember(job_id, masker)
                maskers |= made
        return maskers

    def _remember(self, job_id: UUID, masker: Masker) -> None:
        """Keep it, and as many of the others as there is room for."""
        if job_id in self._known:
            return
        self._known[job_id] = masker
        self._size += _size(masker)
        while len(self._known) > MOST_REMEMBERED or (self._size > LARGEST_REMEMBERED and len(self._known) > 1):
            self._size -= _size(self._known.popitem(last=False)[1])


async def _make(job_ids: Sequence[UUID], secrets: Mapping[UUID, Sequence[str]]) -> dict[UUID, Masker]:
    """A masker for each job: in a thread where together they have many secrets."""

    def make() -> dict[UUID, Masker]:
        return {job_id: Masker(secrets[job_id]) if secrets.get(job_id) else NOTHING_SECRET for job_id in job_ids}

    many = sum(len(secret) for found in secrets.values() for secret in found) > MANY_SECRETS
    return await asyncio.to_thread(make) if many else make()


def _size(masker: Masker) -> int:
    return sum(map(len, masker.patterns))
