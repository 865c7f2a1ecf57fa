"""Does a payload fit its definition's JSON Schema?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from headrace.model.secret_fields import MASKED, secret_paths
from headrace.model.secret_schema import read_secret_schema

# A regular expression of a schema must not take for ever, nor a reference reach out of the process.
_REGEX = jsonschema_rs.RegexOptions()
MOST_PROBLEMS = 5
# Their messages quote names of the payload, or values.
OTHER_NAMES = ("additionalProperties", "unevaluatedProperties")

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
        secrets = read_secret_schema(schema)
        places = set(secret_paths(payload, secrets))
        if not places and not secrets.start:
            return _sentences(validator, payload, _sentence)
        # Who hears the sentence need not know the secret: of a retry it may be an old one.
        teller = jsonschema_rs.validator_for(schema, pattern_options=_REGEX, retriever=_refuse, mask=MASKED)
        return _sentences(teller, payload, lambda error: _masked_sentence(error, places))

    return problems


def _sentences(
    validator: jsonschema_rs.Validator, payload: Any, sentence: Callable[[jsonschema_rs.ValidationError], str]
) -> str:
    return "; ".join(sentence(error) for error in islice(validator.iter_errors(payload), MOST_PROBLEMS))


def _sentence(error: jsonschema_rs.ValidationError) -> str:
    if error.kind.name == "falseSchema" and error.schema_path[-1] in OTHER_NAMES:
        return _unexpected(error)  # its message quotes the value, which nobody declared: it may be anything
    return f"{_written(error.instance_path)}: {error.message[:500]}"


def _masked_sentence(error: jsonschema_rs.ValidationError, places: Set[tuple[str | int, ...]]) -> str:
    """Without what the mask does not cover: names that nobody declared, and names inside a secret."""
    path = tuple(error.instance_path)
    inside = next((path[:n] for n in range(1, len(path)) if path[:n] in places), None)
    if inside is not None:
        return f"{_written(inside)}: {MASKED} does not fit"
    if error.kind.name == "propertyNames":
        return f"{_written(path)}: it has a property whose name does not fit"
    return _unexpected(error) if error.schema_path[-1] in OTHER_NAMES else _sentence(error)


def _unexpected(error: jsonschema_rs.ValidationError) -> str:
    return f"{_written(error.instance_path)}: it has a property that the schema does not allow"


def _written(path: Sequence[str | int]) -> str:
    return ".".join(map(str, path)) or "payload"


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to {uri}")
