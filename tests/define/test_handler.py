"""A handler: a function with its definition."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import UUID

import pytest

from headrace.context import Context
from headrace.define.handler import Handler
from headrace.define.signature import BadHandler
from headrace.errors import BadRequest
from headrace.model.job.outcome import CannotRead
from headrace.model.job.record import ClaimedJob, Terms


def context() -> Context:
    job = ClaimedJob(UUID(int=1), 1, 0, 3, Terms("work"), "default", "{}", None, None, "api")
    return Context(job, lambda _id, _fraction, _message: None)


def generator() -> Iterator[int]:
    yield 1


async def async_generator() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize("function", [generator, async_generator])
def test_a_generator_is_refused(function: Any) -> None:
    with pytest.raises(BadHandler, match=f"{function.__name__} is a generator: a handler returns one value"):
        Handler(function, key=None)


def test_an_unknown_isolation_is_refused() -> None:
    def work() -> None: ...

    with pytest.raises(BadHandler, match="isolation is 'none' or 'process', not 'thread'"):
        Handler(work, key=None, isolation="thread")  # type: ignore[arg-type]


def test_the_docstring_becomes_the_description() -> None:
    def work() -> None:
        """Does it.

        And more.
        """

    assert Handler(work, key=None).definition.settings.description == "Does it.\n\nAnd more."


def test_a_description_that_is_given_wins_over_the_docstring() -> None:
    def work() -> None:
        """Ours."""

    assert Handler(work, key=None, description="Theirs.").definition.settings.description == "Theirs."


def test_without_either_the_description_is_empty() -> None:
    def work() -> None: ...

    assert Handler(work, key=None).definition.settings.description == ""


def test_the_key_is_the_name_unless_given() -> None:
    def work() -> None: ...

    assert Handler(work, key=None).key == "work"
    assert Handler(work, key="mail.send").key == "mail.send"


def test_a_name_that_is_no_key_is_refused() -> None:
    with pytest.raises(BadRequest, match="'<lambda>': a key has"):
        Handler(lambda: None, key=None)


def test_it_knows_whether_the_function_is_async() -> None:
    async def later() -> None: ...

    def now() -> None: ...

    assert Handler(later, key=None).is_async
    assert not Handler(now, key=None).is_async


def test_it_is_invoked_with_the_payload_and_the_context() -> None:
    def work(x: int, ctx: Context, y: int = 2) -> tuple[int, int, Context]:
        return x, y, ctx

    here = context()
    assert Handler(work, key=None).invoke('{"x": "7"}', here) == (7, 2, here)


def test_without_a_context_parameter_none_is_passed() -> None:
    def work(x: int) -> int:
        return x + 1

    assert Handler(work, key=None).invoke('{"x": 1}', context()) == 2


async def test_an_async_function_gives_back_its_coroutine() -> None:
    async def work(x: int) -> int:
        return x + 1

    assert await Handler(work, key=None).invoke('{"x": 1}', context()) == 2


def test_a_stored_payload_that_no_longer_fits_never_reaches_the_function() -> None:
    def work(x: int) -> None:
        raise AssertionError("called")

    # It may be a newer version's.
    with pytest.raises(CannotRead, match=r"x: Field required \(this worker has version [0-9a-f]{8} of 'work'\)"):
        Handler(work, key=None).invoke("{}", context())


def test_the_schema_is_part_of_the_definition() -> None:
    def before(x: int) -> None: ...

    def after(x: int, y: int = 0) -> None: ...

    first, second = Handler(before, key="k").definition, Handler(after, key="k").definition
    assert set(second.payload_schema["properties"]) == {"x", "y"}
    assert first.hash != second.hash
