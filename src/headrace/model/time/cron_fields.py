"""The five fields of a cron rule: what each takes, and a sentence when it was given something else."""

from __future__ import annotations

import re
from typing import NamedTuple

from headrace.errors import BadRequest

TERM = re.compile(r"(?:\*|(?P<first>[A-Z0-9]+)(?:-(?P<last>[A-Z0-9]+))?)(?:/(?P<step>[0-9]+))?")
LAST_WEEKDAY = re.compile(r"([0-7])L")
NTH_WEEKDAY = re.compile(r"([A-Z0-9]+)#([1-5])")
MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class CronError(BadRequest):
    """The cron rule is not valid."""

    code = "bad_cron"


class Field(NamedTuple):
    """One field: its values from low to high, their names, and what else it takes."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    also: str = ""

    @property
    def allowed(self) -> str:
        return f"it takes {self.low} to {self.high}{self.also}, * for any, ranges, lists and steps"

    def value(self, word: str) -> int | None:
        """The number a word stands for, or None if it is not of this field."""
        if word in self.names:
            return self.names.index(word) + self.low
        number = int(word) if word.isdigit() else -1
        return number if self.low <= number <= self.high else None


MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day of month", 1, 31, also=", L (the last day), LW (the last weekday)")
MONTH = Field("month", 1, 12, MONTHS, " or JAN to DEC")
WEEKDAY = Field(
    "day of week",
    0,
    7,
    WEEKDAYS,
    " or SUN to SAT (0 and 7 are Sunday), 5L (the last Friday), MON#2 (the second Monday)",
)
FIELDS = (MINUTE, HOUR, DAY, MONTH, WEEKDAY)


def check_field(field: Field, text: str) -> None:
    """Refuse a field with a term that it does not take."""
    for term in text.split(","):
        if problem := _problem(field, term):
            raise CronError(f"The {field.name} {term!r} is not valid: {problem}.")


def _problem(field: Field, term: str) -> str | None:
    if (field is DAY and term in {"L", "LW"}) or (field is WEEKDAY and _is_special_weekday(term)):
        return None
    found = TERM.fullmatch(term)
    if not found:
        return "write * for any" if term == "?" else field.allowed
    first, last, step = found["first"], found["last"], found["step"]
    if step and not 1 <= int(step) <= field.high:
        return f"a step is 1 to {field.high}"
    return _range_problem(field, first, last, step) if first else None


def _range_problem(field: Field, first: str, last: str | None, step: str | None) -> str | None:
    low = field.value(first)
    high = low if last is None else field.value(last)
    if low is None or high is None:
        return field.allowed
    if high < low:
        return "the range runs backwards; write it as a list or as two ranges"
    if last is not None and step and low == high:
        return "a range of one value has no steps"
    return None


def _is_special_weekday(term: str) -> bool:
    nth = NTH_WEEKDAY.fullmatch(term)
    return bool(LAST_WEEKDAY.fullmatch(term)) or bool(nth and WEEKDAY.value(nth[1]) is not None)
