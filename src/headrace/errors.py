"""What can go wrong, each with a code for programs and a sentence for people."""

from __future__ import annotations

from typing import ClassVar


class HeadraceError(Exception):
    """Headrace could not do what was asked."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str | None = None) -> None:
        # The docstring is the default sentence, so that a class is never raised wordless.
        super().__init__(message or (type(self).__doc__ or "").strip())


class BadRequest(HeadraceError):
    """The request is not valid."""

    code, status = "bad_request", 400


class ValidationError(BadRequest):
    """The payload does not fit the definition's arguments."""

    code, status = "invalid_payload", 422


class PayloadTooLarge(BadRequest):
    """The payload is too large."""

    code, status = "payload_too_large", 413


class NotFound(HeadraceError):
    """There is nothing by that name."""

    code, status = "not_found", 404


class Conflict(HeadraceError):
    """The request conflicts with what is already there."""

    code, status = "conflict", 409


class LeaseLost(HeadraceError):
    """Another worker now holds this job; what you did was not recorded."""

    code, status = "lease_lost", 409


class ConfigError(HeadraceError):
    """The configuration is not valid."""

    code, status = "bad_config", 500


class DatabaseUnusable(HeadraceError):
    """The database cannot be used as it is."""

    code, status = "database_unusable", 503


class EmbeddedServerError(DatabaseUnusable):
    """The embedded PostgreSQL could not be started."""

    code, status = "embedded_server", 503
