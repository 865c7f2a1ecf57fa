"""What a row of the audit says of a change: a few words, however large what was changed is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from headrace.model.job.detail import MAX_DETAIL, detail_text


def audit_text(detail: Mapping[str, Any]) -> str:
    """The detail as JSON text; where it is long, its texts and lists are texts that are cut in the middle."""
    text = json.dumps(detail, default=str)
    if len(text) <= MAX_DETAIL:
        return text
    return detail_text({name: _as_text(value) for name, value in detail.items()})


def _as_text(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, default=str)
