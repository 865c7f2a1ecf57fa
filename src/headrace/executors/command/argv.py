"""What a command is called with: slots written in the configuration, filled from a payload, never through a shell."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headrace.errors import BadRequest, ValidationError

BUILTINS = frozenset({"tenant", "job_id", "run", "scheduled_for"})
MOST_BYTES = 131_071  # the kernel answers E2BIG to one more

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class ArgvInvalid(BadRequest):
    """The argv of a command is not valid."""

    code = "invalid_argv"


class ArgumentRefused(ValidationError):
    """A value of the payload cannot be an argument of the command."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One argument: a literal, or a field's value after a prefix that is empty or ends in `=`."""

    index: int
    prefix: str
    field: str | None = None
    allow_dash: bool = False

    @property
    def place(self) -> str:
        """The slot as messages name it."""
        return f"argv[{self.index}]"


def parse_argv(argv: Sequence[object]) -> tuple[Slot, ...]:
    """The slots of a configuration's argv, or `ArgvInvalid` naming the one that is wrong."""
    if isinstance(argv, str) or not isinstance(argv, Sequence) or not argv:
        raise ArgvInvalid("argv must be a list whose first element is the program")
    slots = tuple(_parse_slot(index, written) for index, written in enumerate(argv))
    if slots[0].field is not None or not slots[0].prefix:
        raise ArgvInvalid("argv[0] must be the program itself: a text without a placeholder")
    return slots


def build_argv(slots: Sequence[Slot], payload: Mapping[str, Any], builtins: Mapping[str, Any]) -> list[bytes]:
    """The arguments as bytes, as many as there are slots, or `ArgumentRefused` naming the field."""
    return [_argument(slot, payload, builtins) for slot in slots]


def _parse_slot(index: int, written: object) -> Slot:
    match written:
        case str():
            slot = _parse_text(index, written)
        case {"arg": str(name), **options} if set(options) <= {"allow_dash"}:
            allow_dash = options.get("allow_dash", False)
            if not isinstance(allow_dash, bool):
                raise ArgvInvalid(f"argv[{index}]: allow_dash must be true or false")
            slot = Slot(index, "", _name(index, name), allow_dash)
        case _:
            raise ArgvInvalid(f'argv[{index}] must be a text or a table {{ arg = "name", allow_dash = true }}')
    if problem := _unfit(slot.prefix):
        raise ArgvInvalid(f"argv[{index}] {problem}")
    return slot


def _parse_text(index: int, text: str) -> Slot:
    literal, fields, at = "", list[str](), 0
    for found in _BRACES.finditer(text):
        literal += text[at : found.start()]
        at = found.end()
        if found[0] in ("{{", "}}"):
            literal += found[0][0]
        elif found[1] is None:
            raise ArgvInvalid(f"argv[{index}]: a lone {found[0]} is neither a placeholder nor a brace; write it twice")
        else:
            fields.append(_name(index, found[1]))
            if at < len(text):
                raise ArgvInvalid(f"argv[{index}]: nothing may follow the placeholder {found[0]}")
    if not fields:
        return Slot(index, literal + text[at:])
    if literal and not literal.endswith("="):
        raise ArgvInvalid(
            f"argv[{index}]: a placeholder is the whole argument, or follows a text that ends in =, "
            f"as in --{fields[0]}={{{fields[0]}}}"
        )
    return Slot(index, literal, fields[0])


def _name(index: int, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ArgvInvalid(f"argv[{index}]: {{{name}}} does not name a field; for braces as text write {{{{ and }}}}")
    return name


def _argument(slot: Slot, payload: Mapping[str, Any], builtins: Mapping[str, Any]) -> bytes:
    if slot.field is None:
        return slot.prefix.encode()
    value = (builtins if slot.field in BUILTINS else payload).get(slot.field)
    text = _printed(slot, value)
    if not slot.prefix and not slot.allow_dash and text.startswith(("-", "@")):
        raise _refused(slot, f"may not start with {text[0]}, which a program may take for an option or a file")
    if problem := _unfit(slot.prefix + text):
        raise _refused(slot, problem)
    return (slot.prefix + text).encode()


def _printed(slot: Slot, value: object) -> str:
    match value:
        case str():
            return value
        case None:
            raise _refused(slot, "has no value")
        case bool() | int() | float():
            try:
                return json.dumps(value, allow_nan=False)
            except ValueError:
                raise _refused(slot, "is a number that JSON cannot write") from None
        case _:
            raise _refused(slot, "must be a text, a number or a boolean")


def _unfit(text: str) -> str | None:
    """Why the kernel would not take the text as one argument."""
    if "\0" in text:
        return "contains a NUL character"
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        return "contains a lone surrogate, which is not a character"
    return f"has {size:,} bytes (at most {MOST_BYTES:,})" if size > MOST_BYTES else None


def _refused(slot: Slot, problem: str) -> ArgumentRefused:
    return ArgumentRefused(f"{slot.field}: {problem} ({slot.place})")
