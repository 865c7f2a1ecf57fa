"""Which arguments are stored encrypted: those that say `x-secret`, and those that hold something which does.

An argument is encrypted as a whole, so only one that the schema names can be. What it holds is masked part by part.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from headrace.errors import BadRequest
from headrace.model.payload.schema_references import find_pointer
from headrace.model.secret.schema import INSIDE, SecretSchema, Subschema


class CannotEncrypt(BadRequest):
    """A schema says `x-secret` where nothing can be encrypted."""


@lru_cache(maxsize=4096)
def encrypted_fields(schema: SecretSchema) -> tuple[str, ...]:
    """The names of the arguments that are stored encrypted, or `CannotEncrypt` for an `x-secret` outside of them."""
    document = schema.document
    if not schema.start or not isinstance(document, dict):
        return ()
    properties = document.get("properties")
    arguments: Mapping[str, Any] = properties if isinstance(properties, dict) else {}
    if document.get("x-secret") is True:
        raise _refusal(document, document)
    others = {word: value for word, value in document.items() if word != "properties"}
    for node in schema.reach([*schema.beside(document), *schema.inside(others)]):
        if _is_marked(node):
            raise _refusal(document, node)
    return tuple(sorted(name for name, one in arguments.items() if any(map(_is_marked, schema.reach([one])))))


def mark_encrypted(payload_schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with `x-secret` on each argument that holds something secret, where the database looks for it."""
    schema = SecretSchema(payload_schema)
    marks = {
        name: {**one, "x-secret": True, INSIDE: True}
        for name in encrypted_fields(schema)
        if not _is_marked(one := payload_schema["properties"][name])
    }
    return {**payload_schema, "properties": {**payload_schema["properties"], **marks}} if marks else payload_schema


def _is_marked(node: Subschema) -> bool:
    return node.get("x-secret") is True


def _refusal(document: Any, node: Subschema) -> CannotEncrypt:
    return CannotEncrypt(
        f'x-secret at {find_pointer(document, node)} cannot be encrypted: only an argument under "properties" of the '
        'schema can be, as a whole. Declare the argument there, or replace "x-secret" with "writeOnly": '
        "then the value is masked, and stored unencrypted."
    )
