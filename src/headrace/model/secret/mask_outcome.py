"""Secrets do not leave with an outcome either: masked before it is cut and stored."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from headrace.model.job.outcome import (
    Cancel,
    Canceled,
    CannotRead,
    Fail,
    Failed,
    Outcome,
    Released,
    Retry,
    Snooze,
    Succeeded,
    TimedOut,
)
from headrace.model.job.transition import MAX_ERROR, MAX_TRACEBACK, Transition
from headrace.model.log.line import LogLine
from headrace.model.log.run_log import FIELDS_LEFT_OUT, LONGEST_FIELDS, NOTHING_SECRET
from headrace.model.payload.stored_json import read_json
from headrace.model.secret.fields import MASKED, map_texts, mask_fields, secret_values
from headrace.model.secret.masking import Masker
from headrace.model.secret.schema import NO_SECRETS, SecretSchema
from headrace.model.secret.text import secret_texts
from headrace.model.text import clean

# To look through a larger payload takes milliseconds, which no event loop has.
LARGE = 64 * 1024
# To make a masker takes longer: up to 3 ms for a kilobyte of secrets.
MANY_SECRETS = 8 * 1024
WHOLE = f'"{MASKED}"'
# Any part of a name that `looks_secret` may find; most texts have none, and need not be read.
NAME_PARTS = "pass|secret|token|credential|auth|cookie|session|pin|otp|key"
_MAY_HOLD_SECRETS = re.compile(NAME_PARTS, re.IGNORECASE)


def masker_for(payload: str, schema: SecretSchema = NO_SECRETS, others: Sequence[str] = ()) -> Masker:
    """What must not be seen of a run: the values of its payload's secret fields, and others that it was given."""
    found = [*others, *payload_secrets(payload, schema)]
    return Masker(found) if found else NOTHING_SECRET


def payload_secrets(payload: str, schema: SecretSchema = NO_SECRETS) -> list[str]:
    """The values of a payload's secret fields."""
    found = list(secret_texts(payload))
    if schema.start:
        found += secret_values(read_json(payload), schema, by_schema=True)
    return found


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
        case CannotRead():
            return CannotRead(masker.mask_text(outcome.reason))


def mask_transition(ended: Transition, masker: Masker) -> Transition:
    """How a run ended, without the secrets; and no longer than it may be, which a worker of any make need not know."""
    return ended._replace(
        error=_mask_text(ended.error, masker, MAX_ERROR),
        traceback=_mask_text(ended.traceback, masker, MAX_TRACEBACK),
        result=None if ended.result is None else mask_json(ended.result, masker),
        detail=None if ended.detail is None else _mask_object(ended.detail, masker),
    )


def mask_line(line: LogLine, masker: Masker) -> LogLine:
    """A line without the secrets, in its fields also without those that are called by a name that looks secret."""
    fields = _mask_fields(line.fields, masker)
    if fields is not None and len(fields) > LONGEST_FIELDS:  # a mask may be longer than what stood in its place
        fields = FIELDS_LEFT_OUT
    return line._replace(message=masker.mask_text(line.message), fields=fields)


def _mask_text(text: str | None, masker: Masker, limit: int) -> str | None:
    return None if text is None else clean(masker.mask_text(text), limit)


def _mask_object(text: str, masker: Masker) -> str:
    masked = mask_json(text, masker)
    return masked if masked != WHOLE or masked == text else json.dumps({"left_out": MASKED})


def _mask_fields(text: str | None, masker: Masker) -> str | None:
    if text is None:
        return None
    if "\\u" in text or _MAY_HOLD_SECRETS.search(text):
        with suppress(ValueError, RecursionError):  # what is no JSON is kept as a text
            text = json.dumps(mask_fields(json.loads(text)), ensure_ascii=False)
    return _mask_object(text, masker)


def mask_texts(value: Any, masker: Masker) -> Any:
    """A copy of a value with the secrets masked in each of its texts."""
    return map_texts(value, lambda item: masker.mask_text(item) if isinstance(item, str) else item)


def mask_json(text: str, masker: Masker) -> str:
    """JSON text without the secrets, and JSON still: a secret that was a number takes all of it along."""
    masked = masker.mask_text(text)
    if masked == text:
        return text
    try:
        json.loads(masked)
    except (ValueError, RecursionError):
        return WHOLE
    return masked
