"""Fields that are stored encrypted: only who has the key can enqueue or run such a job."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.errors import BadRequest, ConfigError

MARK = "$enc"
KEY_BYTES = 32
NONCE_BYTES = 12


class CannotDecrypt(BadRequest):
    """A field was encrypted with a key that is not known here, or was tampered with."""

    code = "cannot_decrypt"


class SecretBox:
    """AES-256-GCM with several keys: the first encrypts, all decrypt.

    The nonce is derived from key, place and plaintext: the same value in the same place gives the same text, so that
    idempotency keys and dedupe windows know a repeated request. It tells nobody more than that two values are equal.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._keys = {hashlib.sha256(key).hexdigest()[:8]: key for key in keys}
        self._first = next(iter(self._keys), None)

    @classmethod
    def read(cls, text: str | None) -> SecretBox:
        """Keys as `HEADRACE_SECRET_KEY` has them: 32 bytes each in base64, separated by commas."""
        keys = []
        for part in (text or "").split(","):
            if not part.strip():
                continue
            try:
                key = base64.b64decode(part.strip(), validate=True)
            except (binascii.Error, ValueError):
                key = b""
            if len(key) != KEY_BYTES:
                raise ConfigError(
                    f"secret_key: each key is {KEY_BYTES} bytes in base64; make one with: "
                    "python -c 'import base64, os; print(base64.b64encode(os.urandom(32)).decode())'"
                )
            keys.append(key)
        return cls(keys)

    def __bool__(self) -> bool:
        return self._first is not None

    def encrypt(self, value: Any, *, place: str) -> dict[str, str]:
        """The value as it is stored."""
        if self._first is None:
            raise ConfigError("secret fields need a key: set HEADRACE_SECRET_KEY")
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # loaded by who has something secret

        key, plain, about = self._keys[self._first], json.dumps(value).encode(), place.encode()
        nonce = hmac.digest(key, about + b"\0" + plain, "sha256")[:NONCE_BYTES]
        data = AESGCM(key).encrypt(nonce, plain, about)
        return {MARK: ".".join([self._first, _text(nonce), _text(data)])}

    def decrypt(self, stored: Mapping[str, Any], *, place: str) -> Any:
        """The value that was stored, or `CannotDecrypt`."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        try:
            key_id, nonce, data = str(stored[MARK]).split(".")
            key = self._keys[key_id]
            return json.loads(AESGCM(key).decrypt(_bytes(nonce), _bytes(data), place.encode()))
        except KeyError:
            raise CannotDecrypt(
                f"{place}: HEADRACE_SECRET_KEY of this process does not have the key of this value"
            ) from None
        except (ValueError, InvalidTag):
            raise CannotDecrypt(f"{place}: the encrypted value was changed, or moved from another place") from None


NO_KEY = SecretBox(())


def encrypt_fields(
    payload: Mapping[str, Any], fields: Sequence[str], box: SecretBox, *, tenant: str, definition: str
) -> dict[str, Any]:
    """The payload with those fields encrypted; what is encrypted already stays."""
    return {
        name: box.encrypt(value, place=_place(tenant, definition, name))
        if name in fields and not is_encrypted(value)
        else value
        for name, value in payload.items()
    }


def decrypt_fields(
    payload: Mapping[str, Any], fields: Sequence[str], box: SecretBox, *, tenant: str, definition: str
) -> dict[str, Any]:
    """The payload as the handler gets it."""
    return {
        name: box.decrypt(value, place=_place(tenant, definition, name))
        if name in fields and is_encrypted(value)
        else value
        for name, value in payload.items()
    }


def is_encrypted(value: Any) -> bool:
    """Whether a value is one that was encrypted."""
    return isinstance(value, dict) and set(value) == {MARK} and isinstance(value[MARK], str)


def _place(tenant: str, definition: str, field: str) -> str:
    return f"{tenant}/{definition}/{field}"


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
