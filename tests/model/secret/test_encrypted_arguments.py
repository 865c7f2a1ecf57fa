"""An `x-secret` is encrypted with the argument that holds it, or refused; never passed over."""

from __future__ import annotations

from typing import Any

import pytest
from tests.model.secret.test_schema import FIRST, LAST, combined

from headrace.errors import BadRequest
from headrace.model.definition import Definition
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.fields import mask_fields
from headrace.model.secret.schema import SecretSchema

X_SECRET = {"type": "string", "x-secret": True}


# What `$recursiveRef` refers to in these schemas stands outside of the arguments.
@pytest.mark.parametrize("word", sorted({*FIRST, *LAST} - {"$recursiveRef"}))
def test_the_argument_that_holds_one_is_encrypted_whichever_keyword_leads_to_it(word: str) -> None:
    document, _ = combined(X_SECRET, None, [word])
    definition = Definition(key="pay", payload_schema=document)
    assert encrypted_fields(SecretSchema(document)) == ("top",)
    assert definition.payload_schema["properties"]["top"]["x-secret"] is True
    assert document["properties"]["top"].get("x-secret") is None


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"x-secret": True}, "#"),
        ({"additionalProperties": X_SECRET}, "#/additionalProperties"),
        ({"patternProperties": {"a/b~": X_SECRET}}, "#/patternProperties/a~1b~0"),
        ({"allOf": [{}, {"properties": {"a": X_SECRET}}]}, "#/allOf/1/properties/a"),
        ({"additionalProperties": {"$ref": "#/$defs/s"}, "$defs": {"s": X_SECRET}}, "#/$defs/s"),
        ({"properties": {"a": X_SECRET}, "additionalProperties": {"$ref": "#"}}, "#/properties/a"),
    ],
)  # fmt: skip
def test_one_outside_of_the_arguments_is_refused_with_its_place_and_a_way_out(
    schema: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(BadRequest, match="definition 'pay': x-secret at") as refused:
        Definition(key="pay", payload_schema=schema)
    assert f"x-secret at {pointer} cannot be encrypted" in str(refused.value)
    assert 'replace "x-secret" with "writeOnly"' in str(refused.value)


def test_what_stands_beside_it_in_the_argument_is_not_masked() -> None:
    inner = {"properties": {"user": {"type": "string"}, "card": X_SECRET}}
    schema = SecretSchema(Definition(key="pay", payload_schema={"properties": {"account": inner}}).payload_schema)
    assert mask_fields({"account": {"user": "ann", "card": "4111"}}, schema) == {
        "account": {"user": "ann", "card": "***"}
    }
    assert mask_fields({"account": {"$enc": "a.b.c"}}, schema) == {"account": "***"}


def test_an_argument_that_only_claims_to_hold_one_is_secret_itself() -> None:
    schema = SecretSchema({"properties": {"a": {"x-secret": True, "x-secret-inside": True}}})
    assert mask_fields({"a": "b"}, schema) == {"a": "***"}
    assert encrypted_fields(schema) == ("a",)
