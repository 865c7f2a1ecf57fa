"""Fields that are stored encrypted reach the handler in the clear, and nobody else."""

from __future__ import annotations

import base64
import json
from typing import Annotated

import asyncpg
import pytest
from pydantic import BaseModel, Field
from tests.waiting import until
from tests.worker.running import app_on, finished, working

from headrace import Conflict, Context, Headrace
from headrace.config import CommandSettings
from headrace.db.connect import Connection
from headrace.errors import ConfigError
from headrace.worker.run.command_handler import CommandHandler

KEY, OTHER = (base64.b64encode(bytes([n]) * 32).decode() for n in (1, 2))
Secret = Annotated[str, Field(json_schema_extra={"x-secret": True})]
CARD = "4111-1111-1111-1111"


def shop(url: str, key: str | None = KEY) -> tuple[Headrace, list[str]]:
    hr = app_on(url, "shop")
    hr._settings = hr.settings.model_copy(update={"secret_key": key})
    seen: list[str] = []

    @hr.job(max_attempts=1)
    async def pay(card: Secret, ctx: Context, amount: int = 1) -> str:
        seen.append(card)
        print("charging", card)
        return f"charged {card}"

    return hr, seen


async def test_only_the_handler_sees_it(database_url: str, connection: Connection) -> None:
    hr, seen = shop(database_url)
    async with working(hr):
        job = await finished(hr, await hr.enqueue("pay", {"card": CARD}))
    assert seen == [CARD]
    assert job.result == "charged ***"
    stored = await connection.fetchval("select payload::text from headrace.job")
    assert CARD not in stored
    assert set(json.loads(stored)["card"]) == {"$enc"}
    assert await connection.fetchval("select message from headrace.log") == "charging ***"


class Account(BaseModel):
    user: str
    card: Secret | None = None


async def test_an_argument_that_holds_one_is_encrypted_and_masked_part_by_part(
    database_url: str, connection: Connection
) -> None:
    hr, _ = shop(database_url)
    seen: list[Account] = []

    @hr.job(max_attempts=1)
    async def settle(accounts: list[Account], note: str) -> str:
        seen.extend(accounts)
        print("settling", accounts[0].user, accounts[0].card)
        return note

    account = {"user": "ann-example", "card": CARD}
    async with working(hr):
        job = await finished(hr, await hr.enqueue("settle", {"accounts": [account], "note": "as usual"}))
        shown = await hr.control.jobs.get(job.id)
        with pytest.raises(asyncpg.PostgresError, match='field "accounts" of definition "settle" is secret'):
            await connection.execute("""select headrace.enqueue('settle', '{"accounts": [], "note": "x"}')""")
    assert [one.model_dump() for one in seen] == [account]
    stored = json.loads(await connection.fetchval("select payload from headrace.job where id = $1", job.id))
    assert (set(stored["accounts"]), stored["note"]) == ({"$enc"}, "as usual")
    assert await connection.fetchval("select message from headrace.log") == "settling ann-example ***"
    assert shown.payload == {"accounts": "***", "note": "as usual"}


def test_one_outside_of_the_arguments_is_refused_where_the_job_is_declared() -> None:
    vault = {"additionalProperties": {"x-secret": True}}
    command = CommandSettings(argv=("/bin/true",), args={"type": "object", **vault})
    with pytest.raises(ConfigError, match=r"commands\.pay: x-secret at #/additionalProperties cannot be encrypted"):
        CommandHandler("pay", command)


async def test_the_same_request_under_an_idempotency_key_is_the_same_job(database_url: str) -> None:
    hr, _ = shop(database_url)
    async with hr:
        first, again = [await hr.enqueue("pay", {"card": CARD}, idempotency_key="k") for _ in range(2)]
        assert first == again
        with pytest.raises(Conflict, match="used before with another"):
            await hr.enqueue("pay", {"card": "another-card"}, idempotency_key="k")


async def test_a_worker_without_the_key_says_so_and_leaves_it_for_a_retry(database_url: str) -> None:
    hr, seen = shop(database_url)
    async with hr:
        job_id = await hr.enqueue("pay", {"card": CARD})
    other, _ = shop(database_url, OTHER)
    async with working(other):
        job = await finished(other, job_id)
    assert seen == []
    assert job.last_error == "default/pay/card: HEADRACE_SECRET_KEY of this process does not have the key of this value"


async def test_without_a_key_such_a_job_is_refused_at_start(database_url: str) -> None:
    hr, _ = shop(database_url, None)
    with pytest.raises(ConfigError, match=r"'pay' has secret fields \(card\): set HEADRACE_SECRET_KEY"):
        async with hr:
            pass


async def test_sql_and_triggers_have_no_key_and_are_refused(database_url: str, connection: Connection) -> None:
    hr, _ = shop(database_url)
    async with hr:
        with pytest.raises(asyncpg.PostgresError, match='field "card" of definition "pay" is secret'):
            await connection.execute("""select headrace.enqueue('pay', '{"card": "x"}')""")
        assert await connection.fetchval("select headrace.enqueue('pay', '{}')") is not None
        with pytest.raises(Conflict, match="no key to encrypt card"):
            await hr.control.triggers.create("daily", "pay", cron="@daily", payload={"card": "x"})


async def test_a_schedule_made_by_sql_is_refused_and_one_from_before_is_skipped_with_the_reason(
    database_url: str, connection: Connection
) -> None:
    hr, _ = shop(database_url)
    schedule = "select headrace.schedule('often', 'pay', every => interval '1 hour')"
    async with working(hr):
        with pytest.raises(asyncpg.PostgresError, match='cannot enqueue "pay": a trigger has no key to encrypt card'):
            await connection.execute(schedule)
        async with connection.transaction():  # made while the definition had no secrets yet
            schema = await connection.fetchval("select payload_schema::text from headrace.definition where key = 'pay'")
            await connection.execute("update headrace.definition set payload_schema = '{}' where key = 'pay'")
            await connection.execute(schedule)
            await connection.execute(
                "update headrace.definition set payload_schema = $1::jsonb where key = 'pay'", schema
            )
        await until("it was due", lambda: connection.fetchval("select exists (select from headrace.fire)"))
    fires = await connection.fetch("select outcome, reason from headrace.fire")
    assert [tuple(row) for row in fires] == [("skipped", "secret_fields")]
