"""Secrets do not leave with an outcome either: masked before it is cut and stored."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.model.masking import Masker
from headrace.model.outcome import Cancel, Canceled, Fail, Failed, Outcome, Released, Retry, Snooze, Succeeded, TimedOut
from headrace.model.run_log import NOTHING_SECRET
from headrace.model.secret_fields import secret_values
from headrace.model.stored_json import read_json

# Any part of a name that `looks_secret` may find; most payloads have none, and need not be read.
_MAY_HOLD_SECRETS = re.compile("pass|secret|token|credential|auth|cookie|session|pin|otp|key", re.IGNORECASE)


def masker_for(payload: str, schema: Mapping[str, Any], others: Sequence[str] = ()) -> Masker:
    """What must not be seen of a run: the values of its payload's secret fields, and others that it was given."""
    found: list[str] = list(others)
    if _MAY_HOLD_SECRETS.search(payload) or _says_secret(schema):
        found += secret_values(read_json(payload), schema)
    return Masker(found) if found else NOTHING_SECRET


def mask_outcome(outcome: Outcome, masker: Masker) -> Outcome:
    """The outcome without the secrets."""
    match outcome:
        case Succeeded(result):
            return outcome if result is None else Succeeded(mask_json(result, masker))
        case Failed(error, traceback):
            return Failed(masker.mask_text(error), traceback and masker.mask_text(traceback))
        case TimedOut() | Canceled() | Released():
            return outcome
        case Retry():
            return Retry(outcome.after, masker.mask_text(outcome.reason))
        case Snooze():
            return Snooze(outcome.for_, masker.mask_text(outcome.reason))
        case Cancel():
            return Cancel(masker.mask_text(outcome.reason))
        case Fail():
            return Fail(masker.mask_text(outcome.reason))


def mask_json(text: str, masker: Masker) -> str:
    """JSON text without the secrets, and JSON still: a secret that was a number takes all of it along."""
    masked = masker.mask_text(text)
    if masked == text:
        return text
    try:
        json.loads(masked)
    except ValueError:
        return '"***"'
    return masked


def _says_secret(schema: Mapping[str, Any]) -> bool:
    text = str(schema)
    return "writeOnly" in text or "x-secret" in text
