"""What workers say of runs has bounds, each answer names what was left out, and to record a failure does not fail."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest
from tests.api.conftest import Api
from tests.api.worker.test_worker import Hand, status
from tests.contract.scripts import commands_on, detail, python
from tests.worker.running import finished, working

from headrace.db.connect import Connection
from headrace.model.job.detail import MAX_DETAIL
from headrace.model.log.run_log import LONGEST_FIELDS

AT = "2026-01-01T00:00:00Z"


@pytest.fixture
async def hand(api: Api) -> AsyncIterator[Hand]:
    """A registered worker."""
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register()
        yield hand


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 300 + "]" * 300, "JSON is nested more than 64 deep"),
        ("1" * 5000, "a number has more than 400 digits"),
        (json.dumps("x" * MAX_DETAIL), f"the JSON text has {MAX_DETAIL + 2:,} characters (at most {MAX_DETAIL:,})"),
        (json.dumps("x" * 25_000_000), "the JSON text has 25,000,002 characters (at most 10,240)"),
    ],
    ids=["deep", "digits", "long", "very long"],
)
async def test_a_failure_is_recorded_whatever_comes_with_it(
    api: Api, hand: Hand, connection: Connection, text: str, problem: str
) -> None:
    job_id = str(await api.hr.enqueue("work", {}))
    await hand.claim()
    said = {"job_id": job_id, "run": 1, "outcome": "failed", "final": "failed", "error": "no such user"}
    more = {} if len(text) > 1_000_000 else {"result_json": text if "characters" not in problem else text * 100}

    answer = await hand.post("jobs/finish", ended=[{**said, **more, "detail_json": text}])

    assert answer.status_code == 200, answer.text
    left_out = {one.pop("field"): one for one in answer.json()["left_out"]}
    assert left_out["detail_json"] == {"job_id": job_id, "run": 1, "reason": problem}
    assert left_out.keys() == {"detail_json", *more}
    assert answer.json()["refused"] == []
    assert await status(api, job_id) == "failed"
    [row] = await connection.fetch("select error, detail::text, result::text from headrace.attempt")
    assert tuple(row) == ("no such user", json.dumps({"left_out": problem}), None)


async def test_a_detail_within_its_bound_is_stored_as_it_is(api: Api, hand: Hand, connection: Connection) -> None:
    job_id = str(await api.hr.enqueue("work", {}))
    await hand.claim()
    text = json.dumps("x" * (MAX_DETAIL - 2))
    answer = await hand.post("jobs/finish", ended=[{"job_id": job_id, "run": 1, "detail_json": text}])
    assert answer.json() == {"refused": [], "left_out": []}
    assert await connection.fetchval("select detail::text from headrace.attempt") == text


async def test_a_failure_with_megabytes_of_text_is_recorded(api: Api, hand: Hand, connection: Connection) -> None:
    job_id = await api.hr.enqueue("work", {})
    (job,) = await hand.claim()
    answer = await hand.of(job, "fail", error="é" * 500_000, traceback="x" * 2_000_000, retryable=False)
    assert answer.status_code == 200, answer.text
    assert await status(api, job_id) == "failed"
    [(error, traceback)] = await connection.fetch("select length(error), length(traceback) from headrace.attempt")
    assert (error < 10_100, traceback < 50_100) == (True, True)


async def test_fields_keep_within_their_bound_though_a_mask_is_longer_than_what_it_hides(
    api: Api, hand: Hand, connection: Connection
) -> None:
    await api.hr.enqueue("work", {})
    (job,) = await hand.claim()
    fields = [{"pin": 1}] * (LONGEST_FIELDS // 10 - 1)
    line = {"job_id": job["id"], "run": 1, "seq": 1, "at": AT, "message": "hello"}
    text = json.dumps(fields, separators=(",", ":"))
    assert (await hand.post("logs", lines=[{**line, "fields_json": text}])).status_code == 200
    assert await connection.fetchval("select fields::text from headrace.log") == (
        '{"left_out": "the fields were too long"}'
    )


async def test_what_is_known_of_a_command_is_small_however_long_its_last_lines_are(
    database_url: str, connection: Connection
) -> None:
    code = "print('\\\"' * 8000); print('x' * 16000, file=sys.stderr); sys.exit(3)"
    async with working(hr := commands_on(database_url, end=python(code, max_attempts=1))):
        job = await finished(hr, await hr.enqueue("end"))
    assert job.status == "dead_letter"
    known = await detail(connection)
    assert (known["exit_code"], "characters left out" in known["stderr_tail"]) == (3, True)
    assert len(json.dumps(known, ensure_ascii=False, separators=(",", ":"))) <= MAX_DETAIL
