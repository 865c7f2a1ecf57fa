"""Encrypted fields: unreadable without the key, and in any other place."""

from __future__ import annotations

import base64

import pytest

from headrace.errors import ConfigError
from headrace.model.secret.encryption import CannotDecrypt, SecretBox, decrypt_fields, encrypt_fields, is_encrypted

OLD, NEW = (base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))
PAYLOAD = {"user": "ada", "card": {"number": "4111 1111"}, "pin": 1234}
FIELDS = ["card", "pin"]


def box(*keys: str) -> SecretBox:
    return SecretBox.read(",".join(keys))


def stored(keys: SecretBox, tenant: str = "acme") -> dict[str, object]:
    return encrypt_fields(PAYLOAD, FIELDS, keys, tenant=tenant, definition="pay")


def test_what_was_encrypted_comes_back_and_nothing_of_it_shows() -> None:
    found = stored(box(NEW))
    assert found["user"] == "ada"
    assert is_encrypted(found["card"])
    assert "4111" not in str(found)
    assert "1234" not in str(found["pin"])
    assert decrypt_fields(found, FIELDS, box(NEW), tenant="acme", definition="pay") == PAYLOAD


def test_the_first_key_encrypts_and_all_decrypt() -> None:
    found = stored(box(OLD))
    assert decrypt_fields(found, FIELDS, box(NEW, OLD), tenant="acme", definition="pay") == PAYLOAD
    assert stored(box(NEW, OLD)) == stored(box(NEW))
    with pytest.raises(CannotDecrypt, match="acme/pay/card: HEADRACE_SECRET_KEY of this process does not have the key"):
        decrypt_fields(found, FIELDS, box(NEW), tenant="acme", definition="pay")


def test_a_repeated_request_is_the_same_text_and_an_equal_value_elsewhere_is_not() -> None:
    assert stored(box(NEW)) == stored(box(NEW))
    assert stored(box(NEW))["card"] != stored(box(NEW), tenant="other")["card"]


@pytest.mark.parametrize(("tenant", "definition"), [("other", "pay"), ("acme", "other")])
def test_it_cannot_be_moved_to_another_tenant_or_definition(tenant: str, definition: str) -> None:
    with pytest.raises(CannotDecrypt, match="moved from another place"):
        decrypt_fields(stored(box(NEW)), FIELDS, box(NEW), tenant=tenant, definition=definition)


def test_what_was_tampered_with_is_refused() -> None:
    found = stored(box(NEW))
    assert isinstance(found["pin"], dict)
    text = found["pin"]["$enc"]
    for bad in (text[:-2] + ("AA" if text[-2:] != "AA" else "BB"), text + ".x", "x", "a.b.c"):
        with pytest.raises(CannotDecrypt):
            decrypt_fields({"pin": {"$enc": bad}}, FIELDS, box(NEW), tenant="acme", definition="pay")


def test_what_is_encrypted_already_is_not_encrypted_again() -> None:
    once = stored(box(NEW))
    assert encrypt_fields(once, FIELDS, box(NEW), tenant="acme", definition="pay") == once


def test_without_a_key_nothing_is_encrypted_in_the_clear() -> None:
    assert not box()
    with pytest.raises(ConfigError, match="HEADRACE_SECRET_KEY"):
        stored(box())


@pytest.mark.parametrize("text", ["short", "AAAA", "!" * 44])
def test_a_key_that_is_none_is_refused_with_how_to_make_one(text: str) -> None:
    with pytest.raises(ConfigError, match="32 bytes in base64; make one with"):
        SecretBox.read(text)
