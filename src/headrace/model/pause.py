"""Why something stands still, and until when."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple


class Pause(NamedTuple):
    """A queue, a definition or a tenant none of whose jobs are claimed."""

    paused_at: datetime
    paused_by: str
    note: str
    resume_at: datetime | None
