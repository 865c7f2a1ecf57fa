"""The answer to a claim has a bounded size: what does not fit goes back, and comes with a later one."""

from __future__ import annotations

import pytest
from tests.api.conftest import Api
from tests.api.worker.test_worker import Hand

from headrace.service.worker_protocol.state import LARGEST_ANSWER
from headrace.worker.claim.response_budget import ResponseBudget

LARGE = 500_000


RELEASED = "select count(*) from headrace.attempt where outcome = 'released' and spent = 0"


@pytest.mark.parametrize("text", ["x" * LARGE, "".join(chr(0x4E00 + n * 7919 % 20000) for n in range(LARGE // 3))])
async def test_jobs_with_large_payloads_come_in_several_answers_and_each_once(api: Api, text: str) -> None:
    ids = {str(await api.hr.enqueue("greet", {"name": text})) for _ in range(40)}
    sizes, answers = [], 0
    async with await api.caller("worker") as client, api.hr.database.pool.acquire() as conn:
        hand = Hand(client)
        await hand.register()
        while ids:
            answer = await hand.post("jobs/claim", limit=100)
            ids -= {job["id"] for job in answer.json()["jobs"]}
            sizes.append(len(answer.content))
            answers += 1
        released = await conn.fetchval(RELEASED)
    assert LARGEST_ANSWER / 3 < max(sizes) < LARGEST_ANSWER * 1.1
    # Given back by the first claim; the next ones ask for no more than fits.
    assert released == 40 - LARGEST_ANSWER // LARGE
    assert answers == 3


def test_a_portion_shrinks_to_what_fits_and_grows_again() -> None:
    portion = ResponseBudget(1000, most=64)
    assert portion.jobs == 64
    assert portion.cut([400, 400, 400, 1]) == 2
    assert portion.jobs == 2
    assert portion.cut([400, 400]) == 2
    assert portion.jobs == 2
    assert portion.cut([100, 100]) == 2
    assert portion.jobs == 4
    for _ in range(10):
        portion.cut([1])
    assert portion.jobs == 64


def test_one_job_always_fits() -> None:
    portion = ResponseBudget(1000, most=64)
    assert portion.cut([5000, 1]) == 1
    assert portion.jobs == 1
    assert portion.cut([5000]) == 1
