"""Which values of an event are secret: those that a trigger would hand to a secret field of its job."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from headrace.errors import BadRequest
from headrace.model.secret.fields import MASKED, map_texts, mask_fields, secret_values
from headrace.model.secret.masking import Masker
from headrace.model.secret.schema import SecretSchema
from headrace.model.template.budget import Budget
from headrace.model.template.template import Template


def handed_secrets(
    parts: Mapping[str, Template], scope: Mapping[str, Any], schema: SecretSchema, budget: Budget
) -> Iterator[str]:
    """The secret values of the payload that a template makes of an event. Beyond the budget some may be missing."""
    payload = {}
    for name, part in parts.items():
        try:
            payload[name] = part.render(scope, budget)[name]
        except BadRequest:
            continue  # no job comes of it, but other arguments may hold secrets of the event
    yield from secret_values(payload, schema)


def mask_event(data: Any, secrets: Collection[str] | None) -> Any:
    """A copy without what is secret by its name, without those values, and without texts that contain one.

    Where the secrets are not known each value is masked.
    """
    if secrets is None:
        return dict.fromkeys(data, MASKED)
    masker, values = Masker(secrets), {secret for secret in secrets if secret}

    def masked(value: Any) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        # As a whole a value is masked however short it is: this is where the secret came from.
        return MASKED if str(value) in values else masker.mask_text(value) if isinstance(value, str) else value

    return map_texts(mask_fields(data), masked)


def compile_parts(payload: Mapping[str, Any]) -> dict[str, Template]:
    """Argument by argument: one that cannot be filled in must not hide the others."""
    parts: dict[str, Template] = {}
    for name, part in payload.items():
        try:
            parts[name] = Template.compile({name: part})
        except BadRequest:
            continue
    return parts
