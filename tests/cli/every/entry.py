"""What is tried of a command."""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """How a command is tried: by the example of its help, for people and for programs, and with a mistake."""

    # A part of what people are told by the example.
    says: str
    # What is wrong, after the command's own words; how it ends, and a part of the one line about it.
    bad: str
    code: int
    complaint: str
    # Names that each object has which programs get; none for a command without --json.
    keys: str = ""
    # Commands that make what the example is about, before each call.
    before: tuple[str, ...] = ()
    # Commands that take back what it did, after each.
    after: tuple[str, ...] = ()
    # What programs call, where the example can be called once only.
    program: str = ""


JOB = "id definition status attempt_count max_attempts"
TRIGGER = "id name definition trigger_type enabled next_run_at"
# The id of nothing.
NOTHING = "01900000-0000-7000-8000-000000000000"
EXIT_CODES = {0: "done", 1: "failed", 2: "usage", 3: "not found", 4: "not allowed", 5: "cannot connect"}
