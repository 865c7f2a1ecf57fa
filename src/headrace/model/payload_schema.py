"""Does a payload fit its definition's JSON Schema?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from headrace.model.secret_fields import MASKED, secret_values
from headrace.model.stored_json import read_object

# A regular expression of a schema must not take for ever, nor a reference reach out of the process.
_REGEX = jsonschema_rs.RegexOptions()
MOST_PROBLEMS = 5

Check = Callable[[Any], str | None]


@lru_cache(maxsize=4096)
def payload_check(schema: str) -> Check:
    """What is wrong with a payload, for a schema given as JSON text: a sentence that names the place, or nothing."""
    try:
        validator = jsonschema_rs.validator_for(schema, pattern_options=_REGEX, retriever=_refuse)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        problem = f"the definition's own schema is not valid: {error}".splitlines()[0]
        return lambda _payload: problem

    def problems(payload: Mapping[str, Any]) -> str | None:
        if validator.is_valid(payload):
            return None
        teller = validator
        # Who hears the sentence need not know the secret: of a retry it may be an old one.
        if any(secret_values(payload, read_object(schema))):
            teller = jsonschema_rs.validator_for(schema, pattern_options=_REGEX, retriever=_refuse, mask=MASKED)
        return "; ".join(_sentence(error) for error in islice(teller.iter_errors(payload), MOST_PROBLEMS))

    return problems


def _sentence(error: jsonschema_rs.ValidationError) -> str:
    return f"{'.'.join(map(str, error.instance_path)) or 'payload'}: {error.message[:500]}"


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri}")
