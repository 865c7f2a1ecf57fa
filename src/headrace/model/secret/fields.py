"""Which fields of a value are secret, by their name or by the definition's schema, and what is shown of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from headrace.model.secret.encryption import is_encrypted
from headrace.model.secret.schema import NO_SECRETS, Place, SecretSchema

MASKED = "***"
# JSON is never read so deep. What a handler logs may contain itself.
DEEPEST = 2000
LONGEST_REMEMBERED = 100

_LOOKS_SECRET = re.compile(
    r"(^|[_\-.])(pass(word|wd|phrase|code)?|secrets?|tokens?|credentials?|auth(orization)?|cookie|session[_\-]?id|pin|otp"
    r"|(api|access|private|secret|signing|encryption|client)[_\-]?(key|secret|token))($|[_\-.])",
    re.IGNORECASE,
)
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def looks_secret(name: object) -> bool:
    """Whether a field of that name most likely holds a secret: password, apiKey, access_token, …"""
    if not isinstance(name, str):
        return False
    return _looks_secret(name) if len(name) <= LONGEST_REMEMBERED else _reads_secret(name)


def is_secret(name: str, schema: SecretSchema) -> bool:
    """Whether an argument is secret, or holds something that is, by its name or by the schema."""
    return looks_secret(name) or schema.start.secret or bool(schema.start.named(name))


def mask_fields(
    value: Any, schema: SecretSchema = NO_SECRETS, *, keeps: Callable[[Any], bool] = lambda value: value is None
) -> Any:
    """A copy with the value of every secret place masked, however deep it stands, but for values to be kept."""
    copy = map_texts(value)
    for holder, key, _ in _secret_places(copy, schema):
        if not keeps(holder[key]):
            holder[key] = MASKED
    return copy


def secret_values(value: Any, schema: SecretSchema = NO_SECRETS, *, by_schema: bool = False) -> Iterator[str]:
    """The texts and numbers that secret places hold, to be masked wherever they turn up.

    With `by_schema` only where the schema leads is looked: names are for `secret_texts`, which need not read the rest.
    """
    for holder, key, rules in _secret_places(value, schema, by_schema=by_schema):
        yield from texts_in(holder[key], parts=rules.secret_parts)


def secret_paths(value: Any, schema: SecretSchema = NO_SECRETS) -> Iterator[tuple[str | int, ...]]:
    """Where the secret places of a value are, the outermost of each."""
    paths: dict[int, tuple[str | int, ...]] = {id(value): ()}
    for holder, key, _ in _secret_places(value, schema, paths):
        yield (*paths[id(holder)], key)


def _secret_places(
    value: Any,
    schema: SecretSchema,
    paths: dict[int, tuple[str | int, ...]] | None = None,
    *,
    by_schema: bool = False,
) -> Iterator[tuple[Any, Any, Place]]:
    """The holder of each secret place, its name or number there, and what applies to it."""
    waiting: list[tuple[Any, Place, int]] = [(value, schema.start, 0)]
    while waiting:
        holder, rules, depth = waiting.pop()
        if depth > DEEPEST:
            raise RecursionError(f"the value is nested more than {DEEPEST} deep")
        whole = depth == 0 and rules.secret  # of a payload that is secret, each argument
        for key, item, inner, looks in _parts(holder, rules):
            if whole or looks or inner.secret or (inner and is_encrypted(item)):
                yield holder, key, inner
            elif isinstance(item, dict | list) and (inner or not by_schema):
                waiting.append((item, inner, depth + 1))
                if paths is not None:
                    paths[id(item)] = (*paths[id(holder)], key)


def _parts(holder: Any, rules: Place) -> Iterator[tuple[Any, Any, Place, bool]]:
    """Each field or item, what applies to it, and whether its name looks secret."""
    if isinstance(holder, dict):
        for name, item in holder.items():
            yield name, item, rules.named(name), looks_secret(name)
    elif isinstance(holder, list):
        for n, item in enumerate(holder):
            yield n, item, rules.at(n), False


def map_texts(value: Any, change: Callable[[Any], Any] | None = None) -> Any:
    """Lists and objects anew, what is in them as it is or changed."""
    top: list[Any] = [value]
    waiting: list[tuple[Any, int]] = [(top, 0)]
    while waiting:
        holder, depth = waiting.pop()
        if depth > DEEPEST:
            raise RecursionError(f"the value is nested more than {DEEPEST} deep")
        for key, item in enumerate(holder) if isinstance(holder, list) else holder.items():
            if isinstance(item, dict | list | tuple):
                holder[key] = copy = dict(item) if isinstance(item, dict) else list(item)
                waiting.append((copy, depth + 1))
            elif change is not None:
                holder[key] = change(item)
    return top[0]


def texts_in(value: Any, *, parts: bool = False) -> Iterator[str]:
    """The texts and numbers in a value; with `parts` names of fields too, and what is written as JSON inside a text."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
            if parts:
                yield from item
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, str):
            yield item
            if parts:
                waiting += _written_json(item)
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield str(item)


def _written_json(text: str) -> list[Any]:
    try:
        inner = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [inner] if isinstance(inner, dict | list) or (isinstance(inner, str) and inner != text) else []


def _reads_secret(name: str) -> bool:
    return bool(_LOOKS_SECRET.search(_WORDS.sub("_", name)))


_looks_secret = lru_cache(maxsize=10_000)(_reads_secret)
