"""Errors for people: one line on stderr, and an exit code that scripts can trust."""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from headrace.errors import (
    BadRequest,
    ConfigError,
    DatabaseUnusable,
    HeadraceError,
    NotFound,
    ServerUnusable,
    TokenRefused,
    Unauthenticated,
)


class NotAllowed(HeadraceError):
    """The token does not allow this."""

    code, status = "forbidden", 403


class Unreachable(HeadraceError):
    """The server cannot be reached."""

    code, status = "unreachable", 503


# 0 done, 1 failed, 2 bad usage, 3 not found, 4 not allowed, 5 cannot connect
EXIT_CODES: list[tuple[type[HeadraceError], int]] = [
    (ConfigError, 2),
    (BadRequest, 2),
    (NotFound, 3),
    (TokenRefused, 4),
    (Unauthenticated, 4),
    (NotAllowed, 4),
    (DatabaseUnusable, 5),
    (ServerUnusable, 5),
    (Unreachable, 5),
]
# What typer raises when the words on the line do not fit; its class has no public name.
USAGE: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
# What newer versions of typer raise for a group that is called without a command.
ASKS_FOR_HELP = "NoArgsIsHelpError"
# What the API does not know can be looked up.
UNKNOWN = re.compile(r"unknown (definition|event|job|queue|tenant|token|trigger|worker) \S+$")
_debug = False


def show_tracebacks() -> None:
    """`--debug`: from now on errors are shown with where they come from."""
    global _debug
    _debug = True


def exit_code(error: HeadraceError) -> int:
    """What scripts are told."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), 1)


def tell(error: object) -> None:
    """On stderr, so that what is read by programs stays clean."""
    from headrace.cli.output.tables import clean

    for line in str(error).splitlines() or [type(error).__name__]:
        print(f"headrace: {clean(line)}", file=sys.stderr)  # noqa: T201


@contextmanager
def plain_errors() -> Iterator[None]:
    """No traceback for what a person can act on."""
    try:
        yield
    except Exception as error:
        if _debug:
            from headrace.cli.output.tables import clean

            sys.stderr.write(clean(traceback.format_exc()))
        raise SystemExit(_answer(error)) from None


def _answer(error: Exception) -> int:
    if isinstance(error, HeadraceError):
        tell(_with_next_step(str(error)))
        return exit_code(error)
    if isinstance(error, USAGE):
        return _usage(error)
    if isinstance(error, typer.Abort):
        tell("stopped")
        return 1
    if isinstance(error, BrokenPipeError):
        return _nobody_reads()
    tell(f"internal error: {type(error).__name__}: {error}. Run headrace --debug … to see the traceback")
    return 1


def _with_next_step(said: str) -> str:
    found = UNKNOWN.match(said)
    return f"{said}: see headrace {found[1]}s list" if found else said


def _usage(error: Any) -> int:
    """One line, and where to read more. Typer's own sentences may have several."""
    if type(error).__name__ == ASKS_FOR_HELP:
        return _help(error)
    said = " ".join(str(error.format_message()).split())
    path = error.ctx.command_path if getattr(error, "ctx", None) is not None else "headrace"
    tell(f"{said.rstrip('.')}. See {path} --help")
    return int(error.exit_code)


def _help(error: Any) -> int:
    """The help, as `--help` prints it: a person who types a group's name alone has made no mistake."""
    typer.echo(error.ctx.get_help())
    return 0


def _nobody_reads() -> int:
    """As with `headrace jobs list | head`: no complaint, not even when Python closes the stream."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
