"""Workers over HTTP one request at a time: the fence, whose a worker is, and what a token is bound to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from tests.api.conftest import Api
from tests.waiting import PATIENCE, until
from tests.worker.refusing import refuse_inserts
from tests.worker.running import attempts, errors, said

from headrace.db.connect import Connection
from headrace.db.upkeep import forget_ended
from headrace.queue.rescue import rescue_jobs
from headrace.service.worker_protocol.state import protocol_state

WORKER = "/api/v1/worker"


class Hand:
    """A worker that somebody plays with curl."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        client.headers["Content-Type"] = "application/json"  # our own, for lone surrogates, which httpx does not send
        self.id = 0

    async def register(self, **said: Any) -> httpx.Response:
        hello = {"name": "by hand", "definitions": ["work", "greet"], **said}
        answer = await self.client.post(f"{WORKER}/register", content=json.dumps(hello))
        if answer.status_code == 200:
            self.id = answer.json()["worker_id"]
        return answer

    async def post(self, path: str, **body: Any) -> httpx.Response:
        return await self.client.post(f"{WORKER}/{path}", content=json.dumps({"worker_id": self.id, **body}))

    async def claim(self, **wanted: Any) -> list[dict[str, Any]]:
        answer = await self.post("jobs/claim", **wanted)
        assert answer.status_code == 200, answer.text
        jobs: list[dict[str, Any]] = answer.json()["jobs"]
        return jobs

    async def of(self, job: dict[str, Any], verb: str, **body: Any) -> httpx.Response:
        return await self.post(f"jobs/{job['id']}/{verb}", run=job["run"], **body)


@pytest.fixture
async def hand(api: Api) -> AsyncIterator[Hand]:
    """A registered worker."""
    async with await api.caller("worker") as client:
        hand = Hand(client)
        await hand.register()
        yield hand


async def status(api: Api, job_id: Any) -> str:
    return str((await api.hr.get_job(UUID(str(job_id)))).status)


# -- the single forms


async def test_a_job_is_claimed_with_all_that_it_takes_to_run_it_and_completed(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("greet", {"name": "é"}, correlation_id="group", tenant="acme")
    (job,) = await hand.claim()
    assert job == {
        "id": str(job_id),
        "run": 1,
        "attempt": 1,
        "max_attempts": 4,
        "definition": "greet",
        "tenant": "acme",
        "payload": {"name": "é"},
        "correlation_id": "group",
        "scheduled_for": None,
        "source": "api",
        "timeout_seconds": None,
        "suspect": False,
        "queue": "default",
        "trace_context": None,
    }
    done = await hand.of(job, "complete", result={"said": ["hello", 1.5, None]})
    assert done.json() == {"outcome": "succeeded", "final": "succeeded", "delay_seconds": 0.0}
    ended = await api.hr.get_job(job_id)
    assert (ended.status, ended.result) == ("succeeded", {"said": ["hello", 1.5, None]})


async def test_a_failure_is_tried_again_by_the_policy_until_the_attempts_are_used_up(
    api: Api, hand: Hand, connection: Connection
) -> None:
    job_id = await api.hr.enqueue("work", max_attempts=2)
    (job,) = await hand.claim()
    failed = (await hand.of(job, "fail", error="no \x00 luck", traceback="line 1")).json()
    assert (failed["outcome"], failed["final"]) == ("failed", None)
    assert 5 <= failed["delay_seconds"] <= 6
    await connection.execute("update headrace.queue set status = 'queued', run_at = null, queued_at = now()")
    (job,) = await hand.claim()
    assert (job["run"], job["attempt"]) == (2, 2)
    assert (await hand.of(job, "fail", error="again")).json()["final"] == "dead_letter"
    assert await attempts(connection, job_id) == [(1, "failed", None), (2, "failed", "dead_letter")]
    first = await connection.fetchrow("select error, traceback from headrace.attempt where run = 1")
    assert tuple(first or ()) == ("no \\x00 luck", "line 1")


@pytest.mark.parametrize(
    ("how", "outcome", "final", "delay"),
    [
        ({"retryable": False}, "failed", "failed", 0.0),
        ({"retry_after_seconds": 42.5}, "retried", None, 42.5),
        ({"retry_after_seconds": 0}, "retried", None, 0.0),
    ],
)
async def test_a_failure_may_say_whether_and_when(
    api: Api, hand: Hand, how: dict[str, Any], outcome: str, final: str | None, delay: float
) -> None:
    await api.hr.enqueue("work")
    (job,) = await hand.claim()
    failed = await hand.of(job, "fail", error="no", **how)
    assert failed.json() == {"outcome": outcome, "final": final, "delay_seconds": delay}


async def test_a_worker_that_cannot_read_a_payload_gives_the_job_back_unspent(
    api: Api, hand: Hand, connection: Connection
) -> None:
    job_id = await api.hr.enqueue("work", max_attempts=1)
    (job,) = await hand.claim()
    back = await hand.of(job, "fail", error="what is `shade`?", unreadable=True)
    assert back.json() == {"outcome": "unreadable", "final": None, "delay_seconds": 1.0}
    assert await attempts(connection, job_id) == [(1, "released", None)]
    live = await connection.fetchrow("select status::text, spent, unreadable_since is null from headrace.queue")
    assert tuple(live or ()) == ("scheduled", 0, False)


@pytest.mark.parametrize("how", [{"retryable": False}, {"retry_after_seconds": 1}])
async def test_what_could_not_be_read_is_no_failure_with_terms_of_its_own(
    api: Api, hand: Hand, how: dict[str, Any]
) -> None:
    await api.hr.enqueue("work")
    (job,) = await hand.claim()
    refused = await hand.of(job, "fail", error="no", unreadable=True, **how)
    assert refused.status_code == 422
    assert "an unreadable job is released" in refused.text


async def test_a_run_hears_that_it_should_stop_and_its_failure_is_then_a_cancel(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("work")
    (job,) = await hand.claim()
    assert (await hand.of(job, "heartbeat", progress=0.5, message="half")).json() == {"cancel_requested": False}
    assert (await api.hr.get_job(job_id)).progress == 0.5
    await api.hr.cancel(job_id)
    assert (await hand.of(job, "heartbeat")).json() == {"cancel_requested": True}
    beat = (await hand.post("heartbeat")).json()
    assert beat["cancel"] == beat["held"] == [{"job_id": str(job_id), "run": 1}]
    assert (await hand.of(job, "fail", error="stopped")).json()["final"] == "canceled"
    assert await status(api, job_id) == "canceled"


async def test_lines_are_numbered_and_kept_whatever_they_hold(api: Api, hand: Hand, connection: Connection) -> None:
    job_id = await api.hr.enqueue("work")
    (job,) = await hand.claim()
    first = await hand.of(job, "logs", lines=[{"message": "one"}, {"message": "t\x00wo", "stream": "stderr"}])
    assert first.json() == {"last_seq": 2}
    both = [hand.of(job, "logs", lines=[{"message": "at once", "fields": {"n": n}}]) for n in range(5)]
    assert sorted([answer.json()["last_seq"] for answer in await asyncio.gather(*both)]) == [3, 4, 5, 6, 7]
    assert await said(connection, job_id) == ["one", "t\\x00wo", *["at once"] * 5]


async def test_a_claim_waits_for_work_and_is_woken_by_it(api: Api, hand: Hand) -> None:
    claiming = asyncio.create_task(hand.claim(wait_seconds=20))
    armed = "select armed from headrace.worker where id = $1"

    async def waits() -> bool:
        async with api.hr.database.pool.acquire() as conn:
            return bool(await conn.fetchval(armed, hand.id))

    await until("the claim waits", waits)
    job_id = await api.hr.enqueue("work")
    assert [job["id"] for job in await asyncio.wait_for(claiming, PATIENCE)] == [str(job_id)]
    assert await hand.claim() == []


# -- the fence


async def rescued(api: Api, connection: Connection, hand: Hand) -> dict[str, Any]:
    """A run that its worker still speaks of, and another worker has by now."""
    await api.hr.enqueue("work")
    (job,) = await hand.claim()
    await connection.execute(
        "update headrace.queue set status = 'queued', worker_id = null, claimed_at = null, queued_at = now()"
    )
    return job


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("complete", {"result": 1}),
        ("fail", {"error": "no"}),
        ("fail", {"error": "no", "retryable": False}),
        ("heartbeat", {"progress": 1}),
        ("logs", {"lines": [{"message": "late"}]}),
    ],
)
async def test_whoever_no_longer_holds_a_run_changes_nothing(
    api: Api, hand: Hand, connection: Connection, verb: str, body: dict[str, Any]
) -> None:
    job = await rescued(api, connection, hand)
    refused = await hand.of(job, verb, **body)
    assert (refused.status_code, refused.json()["code"]) == (409, "lease_lost")
    (again,) = await hand.claim()
    assert again["run"] == 2
    late = await hand.of(job, verb, **body)  # the same worker, and yet another run
    assert (late.status_code, late.json()["code"]) == (409, "lease_lost")
    assert await status(api, job["id"]) == "running"
    assert await connection.fetchval("select count(*) from headrace.log") == 0
    assert await connection.fetchval("select count(*) from headrace.attempt") == 0


async def test_a_batch_says_which_runs_were_refused_and_writes_the_others(
    api: Api, hand: Hand, connection: Connection
) -> None:
    stale = await rescued(api, connection, hand)
    await api.hr.enqueue_many("work", [{}] * 3)
    jobs = await hand.claim(limit=10)
    ended = [{"job_id": job["id"], "run": job["run"]} for job in jobs]
    late = {"job_id": stale["id"], "run": 1}
    unknown = {"job_id": str(uuid4()), "run": 1}
    answer = await hand.post("jobs/finish", ended=[*ended[1:], late, unknown])
    assert sorted(map(str, answer.json()["refused"])) == sorted(map(str, [late, unknown]))
    beat = await hand.post("heartbeat", running=1)
    assert beat.json()["held"] == [ended[0]]
    line = {"seq": 1, "at": "2026-01-01T00:00:00Z", "message": "mine"}
    answer = await hand.post("logs", lines=[{**ended[0], **line}, {**unknown, **line}])
    assert answer.json()["refused"] == [unknown]


async def test_a_worker_that_was_called_lost_is_told_so_everywhere(
    api: Api, hand: Hand, connection: Connection
) -> None:
    await api.hr.enqueue("work")
    await connection.execute("update headrace.worker set state = 'lost', stopped_at = now()")
    for path in ("heartbeat", "jobs/claim"):
        refused = await hand.post(path)
        assert (refused.status_code, refused.json()["code"]) == (409, "lease_lost")
    refused = await hand.register(worker_id=hand.id)
    assert refused.json()["code"] == "lease_lost"
    old = hand.id
    assert (await hand.register()).status_code == 200
    assert hand.id != old
    assert len(await hand.claim()) == 1


async def test_a_worker_that_comes_back_says_why_it_was_silent_and_its_attempt_keeps_that(
    api: Api, hand: Hand, connection: Connection
) -> None:
    job_id = await api.hr.enqueue("work")
    (job,) = await hand.claim()
    await connection.execute("update headrace.worker set state = 'lost', stopped_at = now() where id = $1", hand.id)
    assert await rescue_jobs(connection) == [(job_id, None)]
    refused = await hand.post("heartbeat", running=1, stood_still_seconds=12.2)
    assert (refused.status_code, refused.json()["code"]) == (409, "lease_lost")
    (error,) = await errors(connection, job_id)
    assert str(error).startswith("its worker was silent for 12 s while its process lived")
    assert (await hand.of(job, "complete")).status_code == 409


async def nearly_over(connection: Connection, hand: Hand) -> None:
    """All but the last second of its lease has gone by since the worker was heard; nobody remembers it otherwise."""
    await connection.execute(
        "update headrace.worker set lease_expires_at = clock_timestamp() + interval '1 second',"
        " heartbeat_at = clock_timestamp() + interval '1 second' - lease where id = $1",
        hand.id,
    )


async def left(connection: Connection, hand: Hand) -> float:
    """Which part of the worker's lease is left."""
    seconds = "select extract(epoch from lease_expires_at - clock_timestamp()), extract(epoch from lease)"
    row = await connection.fetchrow(f"{seconds} from headrace.worker where id = $1", hand.id)
    assert row is not None
    return float(row[0] / row[1])


async def test_whatever_a_worker_asks_is_a_sign_of_life_and_a_busy_one_costs_no_write_each_time(
    api: Api, hand: Hand, connection: Connection
) -> None:
    """With the numbers of the page: a lease of 60 seconds, no heartbeat before the first job, lines while it runs."""
    await api.hr.enqueue_many("work", [{}] * 2)
    for ask in (hand.claim, hand.claim, lambda: hand.post("logs", lines=[])):
        protocol_state(api.hr.database).forget(hand.id)
        await nearly_over(connection, hand)
        await ask()
        assert await left(connection, hand) > 0.9
    heard = "select heartbeat_at from headrace.worker where id = $1"
    before = await connection.fetchval(heard, hand.id)
    assert await hand.claim() == []
    assert await connection.fetchval(heard, hand.id) == before


async def test_the_lease_of_a_worker_that_waits_for_work_is_renewed_meanwhile(
    api: Api, hand: Hand, connection: Connection
) -> None:
    await hand.register(lease_seconds=5)
    waiting = asyncio.create_task(hand.claim(wait_seconds=30))
    renewed = "select heartbeat_at - started_at > lease / 2 from headrace.worker where id = $1"

    async def heard() -> bool:
        return waiting.done() or bool(await connection.fetchval(renewed, hand.id))

    await until("the lease is renewed while it waits", heard)
    await api.hr.enqueue("work")
    assert len(await waiting) == 1


async def test_a_worker_that_ended_leaves_the_list_after_a_day_and_the_table_after_a_season(
    api: Api, hand: Hand, connection: Connection
) -> None:
    ended = "update headrace.worker set state = 'lost', stopped_at = now() - $1::interval"
    async with await api.caller("super_admin") as admin:
        for ago, listed, lost in ((timedelta(hours=23), 1, 1), (timedelta(hours=25), 0, 1), (timedelta(days=91), 0, 0)):
            await connection.execute(ended, ago)
            await forget_ended(connection)
            for query, n in (("", listed), ("?state=lost", lost)):
                assert len((await admin.get(f"/api/v1/admin/workers{query}")).json()["items"]) == n


async def test_what_a_worker_was_given_in_a_reply_that_was_lost_goes_back_unspent(
    api: Api, hand: Hand, connection: Connection
) -> None:
    ids = [str(await api.hr.enqueue("work")) for _ in range(2)]
    known, lost = await hand.claim(limit=2)
    (again,) = await hand.claim(limit=2, knows=[{"job_id": known["id"], "run": known["run"]}])
    assert (again["id"], again["run"], again["attempt"]) == (lost["id"], 2, 1)
    assert {known["id"], lost["id"]} == set(ids)
    assert await attempts(connection, UUID(lost["id"])) == [(1, "released", None)]


async def test_a_worker_that_stops_gives_back_what_it_holds(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("work")
    await hand.claim()
    assert (await hand.post("stop")).status_code == 204
    assert await status(api, job_id) == "queued"
    assert (await hand.post("heartbeat")).json()["code"] == "lease_lost"


# -- whose it is


async def test_nobody_else_may_speak_in_a_workers_name(api: Api, hand: Hand) -> None:
    await api.hr.enqueue("work")
    (job,) = await hand.claim()
    fence = {"job_id": job["id"], "run": job["run"]}
    async with await api.caller("worker") as one, await api.caller("super_admin") as two:
        for client in (one, two):
            for worker_id in (hand.id, 999_999):
                other = Hand(client)
                other.id = worker_id
                answers = [
                    await other.post("heartbeat"),
                    await other.post("jobs/claim"),
                    await other.post("jobs/finish", ended=[fence]),
                    await other.post("logs", lines=[]),
                    await other.post("stop"),
                    await other.of(job, "complete"),
                    await other.of(job, "fail", error="no"),
                    await other.of(job, "heartbeat"),
                    await other.of(job, "logs", lines=[]),
                    await other.register(worker_id=worker_id),
                ]
                problems = {(answer.status_code, answer.json()["detail"]) for answer in answers}
                assert problems == {(404, f"unknown worker {worker_id}")}
    assert await status(api, job["id"]) == "running"


async def test_a_worker_with_a_database_login_is_nobodys(api: Api, connection: Connection, hand: Hand) -> None:
    hand.id = await connection.fetchval(
        "insert into headrace.worker (name, hostname, pid, version, queues, definitions, concurrency, lease,"
        " lease_expires_at) values ('', '', 1, '', '{*}', '{work}', 1, '1 h', now() + interval '1 h') returning id"
    )
    assert (await hand.post("jobs/claim")).status_code == 404


@pytest.mark.parametrize("role", ["tenant_admin", "tenant_viewer", None])
async def test_only_workers_work(api: Api, role: Any) -> None:
    client = api.with_token(None) if role is None else await api.caller(role, "acme")
    async with client:
        hand = Hand(client)
        hand.id = 1
        for answer in (await hand.register(), await hand.post("jobs/claim"), await hand.post("heartbeat")):
            assert answer.status_code == (401 if role is None else 403)


async def test_progress_of_a_job_that_another_worker_runs_is_passed_over(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("work")
    beat = await hand.post("heartbeat", progress=[{"job_id": str(job_id), "fraction": 0.9}])
    assert beat.status_code == 200
    assert (await api.hr.get_job(job_id)).progress is None


# -- what a token is bound to


async def test_a_token_bound_to_queues_serves_only_these(api: Api) -> None:
    mine = await api.hr.enqueue("work", queue="mail")
    await api.hr.enqueue("work")
    async with await api.caller("worker", queues=("mail", "sync")) as client:
        hand = Hand(client)
        refused = await hand.register(queues=["default"])
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
        assert (await hand.register(queues=["mail", "default"])).json()["queues"] == ["mail"]
        assert (await hand.register(queues=["*"])).json()["queues"] == ["mail", "sync"]
        assert [job["id"] for job in await hand.claim(limit=10)] == [str(mine)]


DEFINED = {"key": "new", "queue": "mail"}


@pytest.mark.parametrize(
    ("declared", "left_out"),
    [
        # whose jobs go to the default queue: to take them would be easy
        ({"key": "work", "queue": "mail"}, {"definitions_elsewhere": ["work"]}),
        ({"key": "else", "queue": "default"}, {"definitions_elsewhere": ["else"]}),
        (
            {**DEFINED, "triggers": [{"name": "new", "settings": {"every_seconds": 60, "queue": "default"}}]},
            {"triggers_elsewhere": ["new"]},
        ),
        (
            {**DEFINED, "triggers": [{"name": "others", "settings": {"every_seconds": 60}}]},
            {"triggers_elsewhere": ["others"]},
        ),
    ],
)
async def test_a_token_bound_to_queues_runs_an_app_that_declares_more_and_is_told_what_is_left_out(
    api: Api, connection: Connection, declared: dict[str, Any], left_out: dict[str, Any]
) -> None:
    await connection.execute(
        "insert into headrace.trigger (name, definition_id, cron)"
        " select 'others', id, '0 0 * * *' from headrace.definition where key = 'work'"
    )
    before = await connection.fetch("select * from headrace.definition order by id")
    triggers = await connection.fetch("select * from headrace.trigger order by id")
    mine = await api.hr.enqueue("work", queue="mail")
    await api.hr.enqueue("work")
    async with await api.caller("worker", queues=("mail",)) as client:
        said = {"app": "test", "complete": True, "definitions": [declared]}
        hand = Hand(client)
        app = {**said, "definitions": [declared, *([DEFINED] if declared["key"] != "new" else [])]}
        synced = (await hand.register(declared=[app])).json()["synced"]
        assert synced["added"] == ["new"]
        assert synced["deleted_from_code"] == []
        elsewhere = {"definitions_elsewhere": [], "triggers_elsewhere": [], **left_out}
        assert {name: synced[name] for name in elsewhere} == elsewhere
        assert [job["id"] for job in await hand.claim(limit=10)] == [str(mine)]
    after = await connection.fetch("select * from headrace.definition where key <> 'new' order by id")
    assert after == before
    assert await connection.fetch("select * from headrace.trigger order by id") == triggers


async def test_a_definition_without_attempts_has_as_many_as_the_servers_settings_say(
    api: Api, hand: Hand, connection: Connection
) -> None:
    api.hr.configure({"jobs.max_retries_default": 1})
    declared = [{"app": "shop", "definitions": [{"key": "plain"}, {"key": "exact", "max_attempts": 7}]}]
    assert (await hand.register(definitions=["plain"], declared=declared)).status_code == 200
    rows = await connection.fetch("select key, max_attempts from headrace.definition where app = 'shop'")
    assert {row["key"]: row["max_attempts"] for row in rows} == {"plain": 2, "exact": 7}


async def test_definitions_come_with_the_worker_and_are_audited_when_they_change(
    api: Api, hand: Hand, connection: Connection
) -> None:
    trigger = {"name": "clean", "settings": {"cron": "0 3 * * *", "payload": {}}}
    definition = {"key": "clean", "payload_schema": {"type": "object"}, "max_attempts": 7, "triggers": [trigger]}
    declared = [{"app": "shop", "complete": True, "definitions": [definition]}]
    first = (await hand.register(definitions=["clean"], declared=declared)).json()
    assert first["synced"]["added"] == ["clean"]
    assert (await hand.register(definitions=["clean"], declared=declared)).json()["synced"]["changed"] == []
    row = await connection.fetchrow("select max_attempts, app from headrace.definition where key = 'clean'")
    assert tuple(row or ()) == (7, "shop")
    assert await connection.fetchval("select count(*) from headrace.trigger where name = 'clean'") == 1
    audit = await connection.fetch("select action, target from headrace.audit where action = 'definitions.sync'")
    assert [tuple(row) for row in audit] == [("definitions.sync", "shop")]
    without = [{"app": "shop", "complete": True, "definitions": []}]
    served = (await hand.register(declared=without)).json()["synced"]
    assert (served["deleted_from_code"], served["kept"]) == ([], ["clean"])
    await connection.execute("update headrace.worker set state = 'stopped' where 'clean' = any(definitions)")
    gone = (await hand.register(declared=without)).json()["synced"]
    assert (gone["deleted_from_code"], gone["kept"]) == (["clean"], [])


async def test_a_key_of_another_app_is_refused_and_no_worker_is_registered(api: Api, connection: Connection) -> None:
    before = await connection.fetch("select * from headrace.definition order by id")
    mine = await connection.fetchval("select app from headrace.definition where key = 'work'")
    declared = [{"app": "warehouse", "complete": True, "definitions": [{"key": "work"}, {"key": "pack"}]}]
    async with await api.caller("worker") as client:
        refused = await Hand(client).register(declared=declared)
    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert f"definition 'work' is a job of app {mine!r} already" in refused.json()["detail"]
    assert "this is app 'warehouse'" in refused.json()["detail"]
    assert await connection.fetchval("select count(*) from headrace.worker") == 0
    assert await connection.fetch("select * from headrace.definition order by id") == before


async def test_a_worker_may_come_to_run_other_definitions_under_its_id(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("greet", {"name": "x"})
    before = hand.id
    await hand.register(worker_id=hand.id, definitions=["work"])
    assert (hand.id, await hand.claim()) == (before, [])
    await hand.register(worker_id=hand.id, definitions=["greet"])

    async def claimed() -> bool:
        return [job["id"] for job in await hand.claim()] == [str(job_id)]

    await until("its lanes are read again", claimed)


# -- hostile input

HUGE = 2**63
BAD: list[tuple[str, dict[str, Any]]] = [
    ("jobs/claim", {"limit": 0}),
    ("jobs/claim", {"limit": 100_000}),
    ("jobs/claim", {"wait_seconds": 31}),
    ("jobs/claim", {"wait_seconds": "NaN"}),
    ("jobs/claim", {"suspects": 2}),
    ("jobs/claim", {"worker_id": HUGE}),
    ("jobs/claim", {"worker_id": -1}),
    ("jobs/claim", {"unknown": 1}),
    ("jobs/claim", {"knows": [{"job_id": "x", "run": 1}]}),
    ("heartbeat", {"running": -1}),
    ("heartbeat", {"progress": [{"job_id": str(uuid4()), "fraction": 2}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": HUGE}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": 1, "outcome": "lost"}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": 1, "outcome": "snoozed", "final": "failed"}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": 1, "outcome": "succeeded", "final": "dead_letter"}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": 1, "delay_seconds": -1}]}),
    ("jobs/finish", {"ended": [{"job_id": str(uuid4()), "run": 1, "result_json": "a\x00"}]}),
    ("logs", {"lines": [{"job_id": str(uuid4()), "run": 1, "seq": 0, "at": "2026-01-01T00:00:00Z", "message": ""}]}),
    ("logs", {"lines": [{"job_id": str(uuid4()), "run": 1, "seq": 1, "at": "2026-01-01T00:00:00", "message": ""}]}),
    ("register", {"name": "", "definitions": []}),
    ("register", {"name": "x", "definitions": ["*sql"]}),
    ("register", {"name": "x", "definitions": [], "queues": []}),
    ("register", {"name": "x", "definitions": [], "lease_seconds": 0.1}),
    ("register", {"name": "a\x00", "definitions": []}),
]


async def test_what_makes_no_sense_is_refused(hand: Hand) -> None:
    for path, body in BAD:
        answer = await hand.client.post(f"{WORKER}/{path}", json={"worker_id": hand.id, **body})
        assert answer.status_code == 422, (path, body, answer.text)


BAD_DEFINITIONS: list[dict[str, Any]] = [
    {"key": "x", "kind": "sql"},
    {"key": "x", "payload_schema": {"type": "nonsense"}},
    {"key": "x", "payload_schema": {"title": "a\x00b"}},
    {"key": "x", "payload_schema": {"title": "\ud800"}},
    {"key": "x", "retry_base_seconds": -1},
    {"key": "x", "triggers": [{"name": "t", "settings": {"unknown": 1}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"cron": "never"}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"every_seconds": "soon"}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"every_seconds": 5, "payload": [1]}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"every_seconds": 5, "starts_at": "tomorrow"}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"trigger_type": {"a": 1}}}]},
    {"key": "x", "triggers": [{"name": "t", "settings": {"cron": "* * * * *", "timezone": "\ud800"}}]},
]


async def test_a_declaration_that_no_code_could_make_is_refused(hand: Hand) -> None:
    for definition in BAD_DEFINITIONS:
        answer = await hand.register(declared=[{"app": "test2", "definitions": [definition]}])
        assert 400 <= answer.status_code < 500, (definition, answer.text)


async def test_a_result_that_cannot_be_stored_is_refused_and_the_run_goes_on(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("work")
    (job,) = await hand.claim()
    bad: list[Any] = ["\ud800", "a\x00", {"a\x00": 1}, "x" * 1_000_001]
    for result in bad:
        assert (await hand.of(job, "complete", result=result)).status_code == 422
    assert await status(api, job_id) == "running"


async def test_a_batch_with_a_result_that_is_no_json_is_refused_whole(api: Api, hand: Hand) -> None:
    await api.hr.enqueue_many("work", [{}] * 2)
    jobs = await hand.claim(limit=2)
    ended: list[dict[str, Any]] = [{"job_id": job["id"], "run": job["run"]} for job in jobs]
    for result in ("not json", '"\\u0000"', '"\\ud800"', "1e999999"):
        ended[1]["result_json"] = result
        answer = await hand.post("jobs/finish", ended=ended)
        assert 400 <= answer.status_code < 500, answer.text
    assert [await status(api, job["id"]) for job in jobs] == ["running", "running"]


async def test_more_attempts_than_there_are_cannot_be_spent_and_it_says_how_to_end(api: Api, hand: Hand) -> None:
    job_id = await api.hr.enqueue("work", max_attempts=1)
    (job,) = await hand.claim()
    ended = {"job_id": job["id"], "run": 1, "outcome": "failed"}
    answer = await hand.post("jobs/finish", ended=[ended])
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == "final"
    assert 'send "final": "dead_letter"' in answer.json()["detail"]
    assert await status(api, job_id) == "running"

    answer = await hand.post("jobs/finish", ended=[ended | {"final": "dead_letter"}])
    assert answer.json()["refused"] == []
    assert await status(api, job_id) == "dead_letter"


# A disk with a fault, a table in a migration.
@pytest.mark.parametrize("sqlstate", ["58030", "42P01"])
async def test_an_outcome_that_the_database_refuses_for_reasons_of_its_own_is_sent_again_later(
    api: Api, hand: Hand, connection: Connection, sqlstate: str
) -> None:
    job_id = await api.hr.enqueue("work")
    (job,) = await hand.claim()
    await refuse_inserts(connection, "attempt", sqlstate, times=1)
    answer = await hand.of(job, "complete")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_unusable")
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["detail"].endswith("a fault for the test. Send the request again.")
    assert await status(api, job_id) == "running"
    assert (await hand.of(job, "complete")).status_code == 200
    assert await status(api, job_id) == "succeeded"


async def test_a_payload_comes_as_it_is_whatever_its_numbers(api: Api, hand: Hand, connection: Connection) -> None:
    payload = '{"n": 123456789012345678901234567890.12345678901234567890, "s": "\\"\\\\u00e9"}'
    await connection.execute("select headrace.enqueue('work', $1::text::jsonb)", payload)
    answer = await hand.post("jobs/claim")
    assert "123456789012345678901234567890.12345678901234567890" in answer.text
    assert answer.json()["jobs"][0]["payload"]["s"] == '"\\u00e9'


async def test_a_schema_that_would_take_for_ever_to_check_is_refused_by_its_definition(api: Api, hand: Hand) -> None:
    rules: dict[str, Any] = {f"r{n}": {"anyOf": [{"$ref": f"#/$defs/r{n + 1}"}] * 2} for n in range(14)}
    schema = {"$ref": "#/$defs/r0", "$defs": {**rules, "r14": {"required": ["x"]}}}
    refused = await hand.register(declared=[{"app": "a", "definitions": [{"key": "wide", "payload_schema": schema}]}])
    assert refused.status_code == 422, refused.text
    (error,) = refused.json()["errors"]
    assert error["field"] == "payload_schema"
    assert error["message"].startswith("'wide': the definition's own schema is not valid: it holds more than 10,000")
