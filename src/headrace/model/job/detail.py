"""What is known of an attempt beside its outcome: small, whatever a command printed or a function answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from headrace.model.text import NotJsonError, clean, to_json

MAX_DETAIL = 10_240
# How long its texts may be: of these the first with which all of it fits.
CUTS = (MAX_DETAIL, 4_000, 2_000, 500)


def detail_text(detail: Mapping[str, Any]) -> str:
    """The detail as JSON text, with texts that are cut in the middle where they are too long."""
    problem = ""
    for most in CUTS:
        cut = {key: clean(value, most) if isinstance(value, str) else value for key, value in detail.items()}
        try:
            return to_json(cut, MAX_DETAIL)
        except NotJsonError as error:
            problem = str(error)
    return no_detail(problem)


def no_detail(why: str) -> str:
    """What is stored in place of a detail that cannot be stored."""
    return json.dumps({"left_out": why})
