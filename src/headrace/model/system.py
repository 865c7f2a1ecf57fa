"""What belongs to Headrace itself: its own jobs, their queue and their tenant."""

from __future__ import annotations

# No key that code declares begins like this.
SYSTEM_PREFIX = "headrace."
# Every worker with a database serves it, whatever else it serves. No other job enters it.
SYSTEM_QUEUE = "headrace"
# No tenant that people make can have this name.
SYSTEM_TENANT = "_headrace"
