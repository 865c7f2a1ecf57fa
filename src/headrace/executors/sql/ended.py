"""What came of a call, in the words of the model."""

from __future__ import annotations

from dataclasses import dataclass

import asyncpg

from headrace.model.job.outcome import Failed, Succeeded, TimedOut

QUERY_CANCELED = "57014"
TRANSACTION_TIMEOUT = "25P04"


@dataclass(frozen=True, slots=True)
class SqlEnded:
    """The outcome, and what is known beside it; `answer` is the message and details of one that said no."""

    outcome: Succeeded | Failed | TimedOut
    committed: bool = False
    sqlstate: str | None = None
    answer: str | None = None


def failed(error: str) -> SqlEnded:
    """A failure that the database has no SQLSTATE for."""
    return SqlEnded(Failed(error))


def timed_out(timeout: float, *, forced: bool) -> SqlEnded:
    """The function took too long; by force if it went on when it was told to stop."""
    more = "; the function ignored the cancel, so its session was ended" if forced else ""
    return SqlEnded(TimedOut(f"timed out after {timeout:g} s{more}"))


TOO_LATE = failed("the function ended after its timeout or a cancel: the work was rolled back")


def ended_by(error: BaseException, *, late: bool, committing: bool) -> SqlEnded:
    """What an error of the driver or of the server means, which came when the time was up, or not.

    Of the server's words only the message is kept, and where in the function it was: DETAIL shows rows.
    """
    sqlstate = getattr(error, "sqlstate", None)
    if not isinstance(error, asyncpg.PostgresError) or isinstance(error, asyncpg.PostgresConnectionError):
        known = "the result of the commit is unknown" if committing else "nothing was committed"
        return failed(f"the connection to PostgreSQL was lost: {known} ({type(error).__name__})")
    # A cancel and a timeout have the same SQLSTATE, and words in the server's language: only the clock tells.
    if late and sqlstate in (QUERY_CANCELED, TRANSACTION_TIMEOUT):
        return TOO_LATE
    message = getattr(error, "message", None) or str(error)
    return SqlEnded(Failed(f"SQLSTATE {sqlstate}: {message}", _where(error)), sqlstate=sqlstate)


def _where(error: asyncpg.PostgresError) -> str | None:
    """Lines such as `PL/pgSQL function f(jsonb) line 3 at RAISE`; the statements beside them show values."""
    lines = (getattr(error, "context", None) or "").splitlines()
    return "\n".join(line for line in lines if "PL/" in line) or None
