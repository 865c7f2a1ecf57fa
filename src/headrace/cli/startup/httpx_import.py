"""httpx without its own command line, which would load click and Rich on every call."""

from __future__ import annotations

import sys

if "httpx" not in sys.modules:
    # httpx does without it where click is not installed; this says the same.
    sys.modules["httpx._main"] = None  # type: ignore[assignment]
    import httpx

    del sys.modules["httpx._main"]
else:
    import httpx

__all__ = ["httpx"]
