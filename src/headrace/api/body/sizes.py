"""How large the body of a request may be: for each route that needs more than most, by its name."""

from __future__ import annotations

KB, MB = 1024, 1024 * 1024

STRANGERS = 64 * KB
USUAL = 1 * MB
# One payload: a million characters, each of which may be sent as an escape of six bytes.
PAYLOAD = 8 * MB
# Lists of payloads, outcomes or lines. A worker of ours sends 8 MB and what the last item adds.
BATCH = 32 * MB

LARGEST: dict[str, int] = {
    "enqueue": PAYLOAD,
    "retry_job": PAYLOAD,
    "emit_event": PAYLOAD,
    "create_trigger": PAYLOAD,
    "update_trigger": PAYLOAD,
    "test_render": PAYLOAD,
    "complete_run": PAYLOAD,
    "fail_run": PAYLOAD,
    "enqueue_batch": BATCH,
    "finish_jobs": BATCH,
    "write_logs": BATCH,
    "write_run_logs": BATCH,
    # As many as their fields allow: definitions with schemas, runs in hand, reports of progress.
    "register_worker": PAYLOAD,
    "claim_jobs": PAYLOAD,
    "beat_worker": PAYLOAD,
}


def largest_body(route: str, *, stranger: bool) -> int:
    """The bound of a route."""
    return STRANGERS if stranger else LARGEST.get(route, USUAL)
