"""Every kind of rule with a running worker: told once and recovered once, to a real HTTP and a real SMTP server."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.alerts.receiving import Hook, Mailbox, hook, mailbox
from tests.waiting import until
from tests.worker.running import app_on, working

from headrace import Headrace
from headrace.config import AlertsSettings, BuiltinSettings, CommandSettings, ServerSettings, SmtpSettings
from headrace.model.alert.kind import ALERT_KINDS, AlertKind
from headrace.model.job.outcome import Fail
from headrace.service import Service

KEY = base64.b64encode(b"k" * 32).decode()


@dataclass
class World:
    """A running application, and who gets its notices."""

    hr: Headrace
    hook: Hook
    mailbox: Mailbox
    held: asyncio.Event
    signing_key: str = ""

    async def execute(self, statement: str, *values: Any) -> None:
        async with self.hr.database.pool.acquire() as conn:
            await conn.execute(statement, *values)

    async def value(self, statement: str, *values: Any) -> Any:
        async with self.hr.database.pool.acquire() as conn:
            return await conn.fetchval(statement, *values)

    async def make_rule(self, kind: AlertKind, **parameters: Any) -> None:
        """It tells a webhook and a mailbox."""
        targets = Service(self.hr).alert_targets
        webhook = await targets.create("hook", "webhook", self.hook.url)
        people = await targets.create("people", "email", "ann@example.com")
        assert webhook.key is not None
        self.signing_key = webhook.key
        await Service(self.hr).alert_rules.create(
            name=kind,
            kind=kind,
            parameters=parameters,
            targets=[webhook.target.id, people.target.id],
            recover_after_seconds=0,
        )

    async def look(self) -> None:
        """Have the worker look now, and wait until it has."""
        before = await self.value("select now()")
        await self.execute(
            "update headrace.rollup_turn set folded_at = now() - interval '1 hour', fold_took = default,"
            " sampled_at = default, sample_took = default"
        )
        await self.execute("update headrace.alert_turn set looked_at = default, took = default")
        await self.execute("select pg_notify('headrace', 'due')")

        async def looked() -> bool:
            return bool(await self.value("select looked_at > $1 from headrace.alert_turn", before))

        await until("somebody has looked", looked)

    async def until_told(self, *events: str) -> None:
        """These have reached both, in this order; and looking again tells nothing more."""

        async def told() -> bool:
            await self.look()
            return len(self.hook.requests) >= len(events) and len(self.mailbox.mails) >= len(events)

        await until(f"{events} were told", told)
        await self.look()
        await self.look()
        assert [request.json["event"] for request in self.hook.requests] == list(events)
        assert len(self.mailbox.mails) == len(events)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    """With definitions that fail, succeed or hold as a test wants."""
    async with hook() as receiver, mailbox() as box:
        hr = app_on(
            database_url,
            alerts=AlertsSettings(allow_hosts=("127.0.0.1",)),
            builtin=BuiltinSettings(),
            smtp=SmtpSettings(host="127.0.0.1", port=box.port, security="none", sender="jobs@example.com"),
            server=ServerSettings(public_url="https://jobs.example.com"),
            secret_key=KEY,
        )
        held = asyncio.Event()

        @hr.job("work")
        async def work(fail: bool = False, hold: bool = False) -> None:
            if hold:
                await held.wait()
            if fail:
                raise Fail("Boom: it broke")

        @hr.job("fragile", max_attempts=1)
        async def fragile() -> None:
            raise RuntimeError("it broke")

        async with working(hr, queues=("default",)):
            yield World(hr, receiver, box, held)


# Makes the condition hold; gives what ends it.
Begin = Callable[[World], Awaitable[Callable[[], Awaitable[Any]]]]


async def _run(world: World, **arguments: Any) -> UUID:
    job_id: UUID = await world.hr.enqueue("work", arguments)
    await world.hr.wait(job_id, 30)
    return job_id


async def job_died(world: World) -> Callable[[], Awaitable[Any]]:
    job_id = await world.hr.enqueue("fragile")
    await world.hr.wait(job_id, 30)
    return lambda: world.execute("select headrace._delete_job($1)", job_id)


async def failures_in_a_row(world: World) -> Callable[[], Awaitable[Any]]:
    for _ in range(3):
        await _run(world, fail=True)
    return lambda: _run(world)


async def failure_rate(world: World) -> Callable[[], Awaitable[Any]]:
    await _run(world, fail=True)
    await _run(world)
    return lambda: _run(world)


async def oldest_queued(world: World) -> Callable[[], Awaitable[Any]]:
    job_id = await world.hr.enqueue("work", queue="slow")
    await world.execute("update headrace.queue set queued_at = now() - interval '1 hour' where job_id = $1", job_id)
    return lambda: world.execute("select headrace.cancel($1)", job_id)


async def no_worker(world: World) -> Callable[[], Awaitable[Any]]:
    await world.execute(
        "insert into headrace.definition (key, kind, app, hash) values ('elsewhere', 'python', 'other', '-')"
    )
    job_id = await world.hr.enqueue("elsewhere", {})
    await world.execute("update headrace.queue set queued_at = now() - interval '1 hour' where job_id = $1", job_id)
    return lambda: world.execute("select headrace.cancel($1)", job_id)


async def missed_fire(world: World) -> Callable[[], Awaitable[Any]]:
    await Service(world.hr).triggers.create("nightly", "work", cron="0 3 * * *")
    await world.execute(
        "insert into headrace.fire (trigger_id, due_at, outcome, reason, triggered_by)"
        " select id, now(), 'skipped', 'missed', 'scheduler' from headrace.trigger where name = 'nightly'"
    )
    return lambda: world.execute("update headrace.fire set at = at - interval '1 day' where reason = 'missed'")


async def trigger_disabled(world: World) -> Callable[[], Awaitable[Any]]:
    await Service(world.hr).triggers.create("nightly", "work", cron="0 3 * * *")
    await world.execute("update headrace.trigger set timezone = 'Mars/Olympus' where name = 'nightly'")
    return lambda: world.execute("update headrace.trigger set timezone = 'UTC', enabled = true where name = 'nightly'")


async def running_long(world: World) -> Callable[[], Awaitable[Any]]:
    for _ in range(5):
        await _run(world)
    job_id = await world.hr.enqueue("work", {"hold": True})

    async def runs() -> bool:
        return bool(await world.value("select status = 'running' from headrace.queue where job_id = $1", job_id))

    await until("it runs", runs)
    await world.execute("update headrace.queue set claimed_at = now() - interval '1 hour' where job_id = $1", job_id)

    async def end() -> None:
        world.held.set()
        await world.hr.wait(job_id, 30)

    return end


STORIES: dict[AlertKind, tuple[Begin, dict[str, Any]]] = {
    "job_died": (job_died, {}),
    "failures_in_a_row": (failures_in_a_row, {"n": 3}),
    "failure_rate": (failure_rate, {"percent": 50, "min_attempts": 2}),
    "oldest_queued": (oldest_queued, {"seconds": 300}),
    "no_worker": (no_worker, {"seconds": 60}),
    "missed_fire": (missed_fire, {}),
    "trigger_disabled": (trigger_disabled, {}),
    "running_long": (running_long, {"min_runs": 5}),
}


@pytest.mark.parametrize("kind", ALERT_KINDS)
async def test_it_is_told_once_and_recovers_once(world: World, kind: AlertKind) -> None:
    begin, parameters = STORIES[kind]
    await world.make_rule(kind, **parameters)
    end = await begin(world)
    await world.until_told("firing")
    await end()
    await world.until_told("firing", "recovered")
    request, mail = world.hook.requests[0], world.mailbox.mails[0]
    signed = dict(part.split("=") for part in request.headers["headrace-signature"].split(","))
    body = signed["t"].encode() + b"." + request.body
    assert signed["v1"] == hmac.new(world.signing_key.encode(), body, hashlib.sha256).hexdigest()
    assert request.json["rule"]["kind"] == kind
    assert mail["Subject"].strip() == request.json["title"]
    assert "https://jobs.example.com/alerts" in mail.get_content()
    assert world.mailbox.mails[1]["Subject"].strip().startswith("[headrace] all tenants: recovered: ")


async def test_a_webhook_that_fails_is_tried_again_and_each_try_is_in_the_log(world: World) -> None:
    await world.execute("update headrace.definition set retry_base_seconds = 0, retry_jitter_seconds = 0 where system")
    world.hook.answers = [(500, {}, b"not now"), (302, {"Location": "http://127.0.0.1/"}, b""), (200, {}, b"fine")]
    targets = Service(world.hr).alert_targets
    webhook = await targets.create("hook", "webhook", world.hook.url)
    notice_id = await targets.test(webhook.target.id)

    async def arrived() -> bool:
        return bool(await world.value("select sent_at is not null from headrace.alert_notice where id = $1", notice_id))

    await until("it arrived", arrived)
    page = await Service(world.hr).alerts.deliveries(notice_id=notice_id)
    assert [(one.status_code, one.error) for one in page.items] == [
        (200, None),
        (302, "answered 302: redirects are not followed"),
        (500, "answered 500: not now"),
    ]
    alerts = Service(world.hr).alerts
    assert await alerts.deliveries(target_id=webhook.target.id) == page
    assert (await alerts.deliveries(target_id=uuid4())).items == []
    assert {request.headers["headrace-notice-id"] for request in world.hook.requests} == {str(notice_id)}
    assert [request.json["event"] for request in world.hook.requests] == ["test"] * 3


async def test_a_webhook_without_a_key_is_sent_without_a_signature(world: World) -> None:
    targets = Service(world.hr).alert_targets
    webhook = await targets.create("chat", "webhook", world.hook.url, sign=False)
    assert webhook.key is None
    await targets.test(webhook.target.id)
    await until("it came", lambda: len(world.hook.requests) == 1)
    assert "headrace-signature" not in world.hook.requests[0].headers
    assert "This is a test" in world.hook.requests[0].json["text"]


async def test_a_notice_for_a_target_that_is_gone_ends_without_a_fuss(world: World) -> None:
    await world.execute("update headrace.definition set enabled = false where system")
    targets = Service(world.hr).alert_targets
    webhook = await targets.create("hook", "webhook", world.hook.url)
    await world.execute("update headrace.definition set enabled = true where system")
    await world.execute("insert into headrace.queue_pause (queue, paused_by) values ('headrace', 'test')")
    notice_id = await targets.test(webhook.target.id)
    await targets.delete(webhook.target.id)
    await world.execute("delete from headrace.queue_pause")
    job_id = await world.value("select job_id from headrace.alert_notice where id = $1", notice_id)
    job = await world.hr.wait(job_id, 30)
    assert (job.status, world.hook.requests) == ("canceled", [])


@asynccontextmanager
async def with_command(database_url: str, args: dict[str, Any], out: str) -> AsyncIterator[Headrace]:
    command = CommandSettings(argv=("sh", "-c", f"cat > {out}"), args=args, stdin="payload")
    hr = app_on(database_url, builtin=BuiltinSettings(), commands={"page": command})
    async with working(hr):
        yield hr


async def test_a_command_of_the_workers_own_configuration_gets_the_notice(database_url: str, tmp_path: Any) -> None:
    out = tmp_path / "notice.json"
    async with with_command(database_url, {"type": "object"}, str(out)) as hr:
        targets = Service(hr).alert_targets
        page = await targets.create("page", "command", "page")
        await targets.test(page.target.id)
        await until("the command ran", lambda: out.exists() and out.read_text() != "")
        other = await targets.create("other", "command", "rm")
        notice_id = await targets.test(other.target.id)

        async def tried() -> bool:
            return bool((await Service(hr).alerts.deliveries(notice_id=notice_id)).items)

        await until("the other was tried", tried)
        (delivery,) = (await Service(hr).alerts.deliveries(notice_id=notice_id)).items
    assert json.loads(out.read_text())["event"] == "test"
    assert delivery.error is not None
    assert "no worker has a command 'rm'" in delivery.error
