"""Which fields of a command's argv would be run as code, or choose the program, whatever their values say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from headrace.executors.command.argv import Slot
from headrace.executors.command.programs import (
    MORE_WRAPPERS,
    PROGRAMS,
    SHELL_OPTION,
    SHELL_WORDS,
    SHELLS,
    WRAPPERS,
    Takes,
    plain_name,
)

SHELL_CODE = "values of the payload would become shell code; pass them as arguments after the script or via stdin"


def code_problems(slots: Sequence[Slot]) -> Iterator[str]:
    """A sentence for each field that a program of the argv would run."""
    said = dict[int, str]()
    starts = plain_name(slots[0].prefix) in WRAPPERS.keys() | MORE_WRAPPERS
    for slot in slots:
        if slot.field is not None:
            continue
        name, rest = plain_name(slot.prefix), slots[slot.index + 1 :]
        if _is_shell(slot, starts=starts):
            found = {script.index: SHELL_CODE for script in _of_shell(rest)}
        elif slot.index == 0 or starts:
            found = {code.index: _code_of(name) for code in _of_program(PROGRAMS.get(name), rest)}
            found |= {program.index: _chosen(name) for program in _chosen_by(name, rest)}
        else:
            continue
        said = found | said
    return (f"{slots[index].place}: {said[index]}" for index in sorted(said))


def stdin_problems(slots: Sequence[Slot]) -> Iterator[str]:
    """A sentence for each shell that would take a payload on stdin for its script."""
    starts = plain_name(slots[0].prefix) in WRAPPERS.keys() | MORE_WRAPPERS
    for slot in slots:
        if slot.field is None and _is_shell(slot, starts=starts) and _reads_stdin(slots[slot.index + 1 :]):
            name = plain_name(slot.prefix)
            yield f"{slot.place}: {name} would run the payload, which it reads from stdin, as code; name a script"


def _is_shell(slot: Slot, *, starts: bool) -> bool:
    # It counts wherever it stands, for a program that is not known may start it; not so a word like "rc".
    name = plain_name(slot.prefix)
    return name in SHELLS and (name.endswith("sh") or slot.index == 0 or starts)


def _reads_stdin(rest: Sequence[Slot]) -> bool:
    words = iter(rest)
    for slot in words:
        if slot.field is not None or not slot.prefix.startswith(("-", "+")):
            return False  # a script, or the code of -c
        if re.fullmatch(r"-[A-Za-z]*s[A-Za-z]*", slot.prefix):
            return True
        if re.fullmatch(SHELL_WORDS, slot.prefix):
            next(words, None)
    return True


def _of_shell(rest: Sequence[Slot]) -> Iterator[Slot]:
    """The first word after options with `-c` among them."""
    reads_code, words = False, iter(rest)
    for slot in words:
        is_code = _is_option(SHELL_OPTION, slot)
        if slot.field is not None and is_code:
            yield slot
            return
        if slot.field is not None or not slot.prefix.startswith(("-", "+")):
            if reads_code and slot.field is not None:
                yield slot
            return
        reads_code = reads_code or is_code
        if re.fullmatch(SHELL_WORDS, slot.prefix):
            next(words, None)


def _of_program(takes: Takes | None, rest: Sequence[Slot]) -> Iterator[Slot]:
    """The fields that are the value of an option, or an operand, that the program runs."""
    if takes is None:
        return
    plain = any(_is_option(takes.unless, slot) for slot in rest)
    operands, words = 0, iter(rest)
    for slot in words:
        if _is_option(takes.option, slot):
            has_its_value = slot.field is not None or bool(set("= ") & set(slot.prefix))
            value = slot if has_its_value else next(words, None)
            if value is not None and value.field is not None:
                yield value
        elif re.fullmatch(takes.words, slot.prefix):
            next(words, None)
        elif slot.field is not None or not slot.prefix.startswith("-"):
            among = (
                takes.first is not None and takes.first <= operands and (takes.last is None or operands < takes.last)
            )
            if among and slot.field is not None and not plain:
                yield slot
            operands += 1
            if operands == takes.ends:
                return


def _chosen_by(name: str, rest: Sequence[Slot]) -> Iterator[Slot]:
    """The field that stands where the program to start stands."""
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return
    operands, words = 0, iter(rest)
    for slot in words:
        if re.fullmatch(wrapper.words, slot.prefix):
            next(words, None)
        elif slot.prefix.startswith("-") or (name in ("env", "sudo") and "=" in slot.prefix):
            continue
        elif operands == wrapper.operands:
            if slot.field is not None:
                yield slot
            return
        else:
            operands += 1


def _is_option(pattern: str, slot: Slot) -> bool:
    """Whether it is the option, alone or with its value behind `=`."""
    return re.fullmatch(pattern, slot.prefix.partition("=")[0] if slot.prefix.startswith("-") else "") is not None


def _code_of(name: str) -> str:
    return (
        f"values of the payload would become code, which {name} runs; write a script of your own and pass them as its "
        "arguments or via stdin"
    )


def _chosen(name: str) -> str:
    return f"values of the payload would choose the program that {name} starts; write its name"
