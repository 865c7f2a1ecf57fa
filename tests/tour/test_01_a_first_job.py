"""Declare a function, enqueue it, wait for what it returned."""

from __future__ import annotations

import pytest
from tests.tour.conftest import AWorker

from headrace import Headrace, ValidationError


async def test_a_job_runs_and_its_result_is_kept(hr: Headrace, a_worker: AWorker) -> None:
    @hr.job
    async def greet(name: str, shout: bool = False) -> str:
        return f"Hello, {name.upper() if shout else name}!"

    async with a_worker():
        job = await hr.wait(await greet.enqueue(name="Ada", shout=True))
    assert (job.status, job.result, job.attempt_count) == ("succeeded", "Hello, ADA!", 1)


async def test_what_does_not_fit_the_signature_is_refused_at_once(hr: Headrace) -> None:
    @hr.job
    async def greet(name: str) -> None: ...

    async with hr:
        with pytest.raises(ValidationError, match=r"nam: .*not permitted"):
            await greet.enqueue(name="Ada", nam="typo")


async def test_the_function_can_still_be_called_as_it_is(hr: Headrace) -> None:
    @hr.job
    async def double(number: int) -> int:
        return 2 * number

    assert await double(21) == 42
