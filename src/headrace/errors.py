"""What can go wrong, each with a code for programs and a sentence for people."""

from __future__ import annotations

from typing import ClassVar


class HeadraceError(Exception):
    """Headrace could not complete the request."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 500

    def __init__(self, message: str | None = None, *, field: str | None = None) -> None:
        # The docstring is the default sentence, so that a class is never raised wordless.
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.field = field

    def headers(self) -> dict[str, str] | None:
        """What an HTTP answer says beside the sentence."""
        return None


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
    """The object does not exist."""

    code, status = "not_found", 404


class Conflict(HeadraceError):
    """The request conflicts with the present state."""

    code, status = "conflict", 409


class LeaseLost(HeadraceError):
    """You no longer own this job: the attempt has ended, or another worker owns the job. Nothing was changed."""

    code, status = "lease_lost", 409


class ConfigError(HeadraceError):
    """The configuration is not valid."""

    code, status = "bad_config", 500


class DatabaseUnusable(HeadraceError):
    """The database cannot be used in its present state."""

    code, status = "database_unusable", 503
    retry_after: ClassVar[int] = 5

    def headers(self) -> dict[str, str] | None:
        return {"Retry-After": str(self.retry_after)}


class DatabaseAway(DatabaseUnusable):
    """The database does not respond now: try again in a moment."""

    code, status = "database_away", 503
    retry_after = 2


class DatabaseBusy(DatabaseUnusable):
    """The database could not do this now, and nothing was changed: try again in a moment."""

    code, status = "database_busy", 503
    retry_after = 1


class DatabaseFull(DatabaseUnusable):
    """The disk of the database is full, so nothing can be stored: free some space. Workers wait, and no job is lost."""

    code, status = "database_full", 503
    retry_after = 30


class DatabaseReadOnly(DatabaseUnusable):
    """The database is read-only, so nothing can be changed: it is a standby, or default_transaction_read_only is on."""

    code, status = "database_read_only", 503


class EmbeddedServerError(DatabaseUnusable):
    """The embedded PostgreSQL could not be started."""

    code, status = "embedded_server", 503


class ServerUnusable(HeadraceError):
    """The Headrace server cannot be used in its present state."""

    code, status = "server_unusable", 503


class Forbidden(HeadraceError):
    """Your role may not do this."""

    code, status = "forbidden", 403


class TokenRefused(HeadraceError):
    """The server refuses this token."""

    code, status = "token_refused", 403


class Unauthenticated(HeadraceError):
    """Send a token: `Authorization: Bearer hr_…`."""

    code, status = "unauthenticated", 401

    def headers(self) -> dict[str, str] | None:
        return {"WWW-Authenticate": "Bearer"}


class TooMany(HeadraceError):
    """Too many requests; try again later."""

    code, status = "too_many_requests", 429

    def __init__(self, message: str | None = None, *, after: float = 1.0, code: str | None = None) -> None:
        super().__init__(message)
        self.after = after
        if code is not None:
            self.code = code  # type: ignore[misc] # of this one error

    def headers(self) -> dict[str, str] | None:
        return {"Retry-After": str(max(1, round(self.after)))}
