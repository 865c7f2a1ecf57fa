"""What is shown of a trigger's payload: its secrets masked, the places of an event that it names as they are."""

from __future__ import annotations

import re
from typing import Any

from headrace.model.secret.fields import mask_fields
from headrace.model.secret.schema import SecretSchema

# Only names and numbers: any other expression may hold a literal.
_REFERENCE = re.compile(r"\{\{\s*[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*|\[-?[0-9]+\])*\s*\}\}")


def mask_template(payload: Any, schema: SecretSchema) -> Any:
    """A copy in which what would be a secret of the job is masked, unless it only says where the secret comes from."""
    return mask_fields(payload, schema, keeps=_is_open)


def _is_open(value: Any) -> bool:
    return value is None or (isinstance(value, str) and _REFERENCE.fullmatch(value) is not None)
