"""From the errors that our SQL functions raise to our own, whichever driver carries them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.errors import BadRequest, Conflict, Forbidden, HeadraceError, NotFound, PayloadTooLarge

BY_SQLSTATE: dict[str, type[HeadraceError]] = {
    "HR400": BadRequest,
    "HR403": Forbidden,
    "HR404": NotFound,
    "HR409": Conflict,
    "HR413": PayloadTooLarge,
    "22P02": BadRequest,  # not JSON, not a number, …
    "22P05": BadRequest,  # text with a NUL, which PostgreSQL cannot hold
    "22021": BadRequest,  # not UTF-8
    "23502": BadRequest,  # null where there must be a value
    "23514": BadRequest,  # a CHECK constraint, such as a queue's name
}

# The sentence and the field of a constraint that only the database can check, because its clock sets a value.
BY_CONSTRAINT = {"a_window_ends_after_it_starts": ("A schedule must end after it starts.", "ends_at")}

# Errors that a row's own data can cause: what is no value of its type, what a constraint forbids, what is too large.
# All others are the server's own affair: a table that is just being migrated, a right that is missing, a disk, a bug.
OF_DATA = ("22", "23", "54")
CHECK_VIOLATION = "23514"


def data_can_cause(error: BaseException) -> bool:
    """Whether it may be the row that is at fault; if not, the same row will do once the server is well."""
    state = getattr(error, "sqlstate", None)
    if not isinstance(state, str):
        return isinstance(error, ValueError)  # what the driver cannot even send
    # A check without a name is a partition that is missing.
    return state[:2] in OF_DATA and not (state == CHECK_VIOLATION and not getattr(error, "constraint_name", None))


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise our error for a refusal by the database; others pass as they are."""
    try:
        yield
    except HeadraceError:  # ours already, and it may say more: which field it is about
        raise
    except Exception as error:
        ours = translate(error)
        if ours is None:
            raise
        raise ours from error


def translate(error: BaseException) -> HeadraceError | None:
    """Our error for a driver's, or none when it is not a refusal."""
    # asyncpg and psycopg have the code on the error; SQLAlchemy keeps the driver's error as `orig`, itself a wrapper.
    seen: BaseException | None = error
    found: HeadraceError | None = None
    for _ in range(4):
        if seen is None:
            break
        state = getattr(seen, "sqlstate", None) or getattr(seen, "pgcode", None)
        if isinstance(state, str) and state in BY_SQLSTATE:
            sentence, field = BY_CONSTRAINT.get(_constraint(seen), (_sentence(seen), _field(seen, state)))
            found = BY_SQLSTATE[state](sentence, field=field)  # the innermost wins: only it has the hint
        seen = getattr(seen, "orig", None) or seen.__cause__
    return found


def _constraint(error: BaseException) -> str:
    return str(getattr(getattr(error, "diag", error), "constraint_name", None))


def _field(error: BaseException, state: str) -> str | None:
    """The field that one of our functions names, as the column of its error."""
    column = getattr(getattr(error, "diag", error), "column_name", None)
    return column if isinstance(column, str) and state.startswith("HR") else None


def _sentence(error: BaseException) -> str:
    diagnostics = getattr(error, "diag", error)
    message = getattr(diagnostics, "message_primary", None) or getattr(diagnostics, "message", None) or str(error)
    hint = getattr(diagnostics, "message_hint", None) or getattr(diagnostics, "hint", None)
    return f"{message}. {hint}" if hint else str(message)
