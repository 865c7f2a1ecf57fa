"""Which fields are secret, and what is shown of them."""

from __future__ import annotations

import pytest

from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.fields import looks_secret, mask_fields, secret_values
from headrace.model.secret.schema import NO_SECRETS, SecretSchema

SCHEMA = SecretSchema(
    {
        "properties": {
            "user": {"type": "string"},
            "note": {"type": "string", "writeOnly": True},
            "card": {"type": "string", "x-secret": True},
            "inner": {"properties": {"seed": {"x-secret": True}}},
            "many": {"items": {"properties": {"seed": {"writeOnly": True}}}},
        }
    }
)


@pytest.mark.parametrize(
    "name",
    ["password", "PASSWORD", "db_password", "passwd", "apiKey", "api_key", "API-Key", "accessToken", "token", "x.token",
     "client_secret", "secret", "secrets", "Authorization", "private_key", "otp", "refresh-token", "credentials"],
)  # fmt: skip
def test_a_name_that_looks_secret(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "user",
        "path",
        "key",
        "tokenizer",
        "passenger",
        "author",
        "authors",
        "secretary",
        "compass",
        "pinned",
        "keyboard",
    ],
)
def test_a_name_that_does_not(name: str) -> None:
    assert not looks_secret(name)


def test_secret_fields_are_masked_by_name_and_by_schema_however_deep() -> None:
    payload = {
        "user": "ada",
        "note": "n",
        "card": {"number": 7},
        "inner": {"seed": "s", "b": [1, {"token": "t"}]},
        "many": [{"seed": "x", "a": 1}],
        "password": None,
    }
    assert mask_fields(payload, SCHEMA) == {
        "user": "ada",
        "note": "***",
        "card": "***",
        "inner": {"seed": "***", "b": [1, {"token": "***"}]},
        "many": [{"seed": "***", "a": 1}],
        "password": None,
    }
    assert payload["note"] == "n"


def test_the_values_of_secret_fields_are_found_to_be_masked_elsewhere() -> None:
    payload = {"user": "ada", "card": {"number": 7, "ok": True, "parts": ["a", "b"]}, "inner": {"seed": "s"}}
    assert sorted(secret_values(payload, SCHEMA)) == ["7", "a", "b", "s"]


def test_an_argument_that_is_or_holds_an_x_secret_is_stored_encrypted() -> None:
    assert encrypted_fields(SCHEMA) == ("card", "inner")
    assert encrypted_fields(NO_SECRETS) == ()
