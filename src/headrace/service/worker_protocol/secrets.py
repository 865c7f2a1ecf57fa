"""What must not be seen of the runs of workers over HTTP, who may be of any make: masked here before it is stored."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from uuid import UUID

from headrace.db.connect import Connection
from headrace.model.encryption import SecretBox
from headrace.model.masking import Masker
from headrace.model.run_log import NOTHING_SECRET
from headrace.service.jobs.secrets import read_secrets

MOST_REMEMBERED = 10_000
# A masker with more to look for is made again each time: ten thousand of them would be too much to keep.
LARGEST_REMEMBERED = 10_000


class Maskers:
    """The maskers of jobs, remembered: a job has the same one for as long as it runs."""

    def __init__(self) -> None:
        self._known: OrderedDict[UUID, Masker] = OrderedDict()

    async def find(self, conn: Connection, box: SecretBox, job_ids: Iterable[UUID]) -> Mapping[UUID, Masker]:
        """One for each job; one that masks nothing for a job that has no secrets or is not there."""
        wanted = set(job_ids)
        found = {job_id: self._known[job_id] for job_id in wanted & self._known.keys()}
        if unknown := list(wanted - found.keys()):
            secrets = await read_secrets(conn, box, unknown)
            for job_id in unknown:
                values = secrets.get(job_id)
                found[job_id] = masker = NOTHING_SECRET if values is None else Masker(values)
                self._remember(job_id, masker)
        return found

    def _remember(self, job_id: UUID, masker: Masker) -> None:
        if sum(map(len, masker.patterns)) > LARGEST_REMEMBERED:
            return
        self._known[job_id] = masker
        if len(self._known) > MOST_REMEMBERED:
            self._known.popitem(last=False)
