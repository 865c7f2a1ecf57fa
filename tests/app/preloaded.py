"""What gunicorn loads before it forks: a WSGI application that has enqueued a job by then."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from headrace import Headrace

hr = Headrace(app="forking")


@hr.job
async def add(x: int) -> int:
    return x


hr.blocking.enqueue("add", {"x": 0})


def application(_environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Enqueues a job and names the process that did."""
    job_id = hr.blocking.enqueue("add", {"x": 1})
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [f"{os.getpid()} {job_id}".encode()]
