"""A way to run a job: the same jobs for each, written as that way wants them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from headrace import Headrace
from headrace.db.connect import Connection

SECRET = "correct-horse-battery"

# What every way declares, by key:
#   succeed {n}          the result {"double": 2 n}
#   fail                 ends badly, once and for all attempts it has (one)
#   recover              ends badly in its first attempt, well in its second
#   slow                 never ends; has a timeout of half a second
#   hang                 says "started <mark>", and never ends by itself
#   crash                ends as no run should; one attempt
#   large {size}         a result of about that many bytes; one attempt
#   talk {count}         says "line 1", "line 2" and so on
#   leak {password}      says the password, and has it in its result
#   leak_and_fail {password}   says the password, and has it in its error; one attempt
KEYS = ("succeed", "fail", "recover", "slow", "hang", "crash", "large", "talk", "leak", "leak_and_fail")


class Way(ABC):
    """How jobs are declared for one executor, and the words that it has for their ends."""

    name: ClassVar[str]
    # What the error of each bad end contains.
    failed: ClassVar[str] = "it broke"
    timed_out: ClassVar[str] = "timed out after 0.5 s"
    crashed: ClassVar[str]
    too_large: ClassVar[str] = "the result cannot be stored"
    # What this way cannot do as the others do, and why.
    fails_for_too_large: ClassVar[bool] = True
    error_has_its_words: ClassVar[bool] = True

    @abstractmethod
    async def prepare(self, url: str, connection: Connection) -> Headrace:
        """An application on that database with all jobs, not open yet."""

    async def clean_up(self, connection: Connection) -> None:  # noqa: B027 - most leave nothing
        """Leave the database as it was."""

    def result(self, stored: Any) -> Any:
        """The job's own result within what is stored."""
        return stored

    @abstractmethod
    async def is_gone(self, mark: str, connection: Connection) -> bool:
        """Whether nothing is left of a run that said "started <mark>"."""
