"""Does a payload fit its definition's JSON Schema?"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from headrace.model.payload.json_storage import levels
from headrace.model.payload.schema_problems import explain, validator
from headrace.model.payload.schema_walk import Schema
from headrace.model.payload.schema_width import width_of
from headrace.model.secret.fields import secret_paths
from headrace.model.secret.schema import read_secret_schema

MOST_PROBLEMS = 5
# Rules times values: about a second, during which nothing else of the process runs.
MOST_WORK = 100_000_000
_MOST_VALUES = 1_000_000
NOT_VALID = "the definition's own schema is not valid"

Check = Callable[[Any], str | None]


@lru_cache(maxsize=4096)
def payload_check(schema: str) -> Check:
    """What is wrong with a payload, for a schema given as JSON text: a sentence that names the place, or nothing."""
    try:
        parsed = Schema(json.loads(schema))
        rules, each = width_of(parsed)
        compiled = validator(schema)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, RecursionError) as error:
        problem = f"{NOT_VALID}: {error}".splitlines()[0]
        return lambda _payload: problem

    most = MOST_WORK // (rules * each)

    def problems(payload: Mapping[str, Any]) -> str | None:
        if most < _MOST_VALUES and not _has_fewer(payload, most):
            return (
                f"payload: more than {most:,} values; a schema with up to {rules:,} rules for each value allows no more"
            )
        if compiled.is_valid(payload):
            return None
        # Who hears the sentence need not know the secret: of a retry it may be an old one.
        secrets = read_secret_schema(schema)
        hidden = frozenset(secret_paths(payload, secrets))
        return "; ".join(islice(explain(parsed, payload, hidden if hidden or secrets.start else None), MOST_PROBLEMS))

    return problems


def _has_fewer(payload: Any, most: int) -> bool:
    """Whether a payload has no more values than this."""
    left = most
    for level in levels(payload):
        left -= len(level)
        if left < 0:
            return False
    return True
