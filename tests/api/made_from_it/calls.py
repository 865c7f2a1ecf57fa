"""Run by itself, beside the client that openapi-python-client made: real calls, with what comes back in its types."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

url, token = sys.argv[1:]


def made(name: str) -> Any:
    """A module of the client."""
    return import_module(f"made.{name}" if name else "made")


client = made("").AuthenticatedClient(base_url=url, token=token)
models = made("models")
payload = models.JobRequestPayload.from_dict({"name": "Ann"})
new = models.JobRequest(definition="greet", payload=payload, delay_seconds=3600)
job = made("api.jobs.enqueue").sync(client=client, body=new, idempotency_key="one")
assert isinstance(job, models.Job), job
again = made("api.jobs.enqueue").sync(client=client, body=new, idempotency_key="one")
assert again.id == job.id
found = made("api.jobs.get_job").sync(job.id, client=client)
assert (found.status, found.definition) == (models.JobStatus.SCHEDULED, "greet")
listed = made("api.jobs.list_jobs").sync(client=client, status=[models.JobStatus.SCHEDULED], definition="greet")
assert [one.id for one in listed.items] == [job.id]
assert made("api.jobs.cancel_job").sync_detailed(job.id, client=client).status_code == 200
schedule = models.NewTrigger(
    name="nightly", definition="work", trigger_type=models.NewTriggerTriggerType.SCHEDULE, cron="0 2 * * *"
)
trigger = made("api.triggers.create_trigger").sync(client=client, body=schedule)
assert trigger.name == "nightly", trigger
assert [one.key for one in made("api.definitions.list_definitions").sync(client=client).items]
refused = made("api.jobs.enqueue").sync(client=client, body=models.JobRequest(definition="absent"))
assert isinstance(refused, models.Problem), refused
assert refused.code == "not_found"
stranger = made("").AuthenticatedClient(base_url=url, token="hr_nobody")
assert made("api.jobs.list_jobs").sync(client=stranger).code == "unauthenticated"
print("all calls were right")
