"""Events: published in your transaction, handed to each trigger once."""

from __future__ import annotations

import asyncpg
from tests.tour.conftest import AWorker
from tests.waiting import until

from headrace import Context, Headrace


async def test_an_event_becomes_a_job_with_what_it_says(hr: Headrace, a_worker: AWorker) -> None:
    thanked: list[tuple[int, str, str | None]] = []

    @hr.job(
        event="order.paid",
        condition="event.total >= `100`",
        payload={"order_id": "{{event.id}}", "name": "{{event.customer.name || 'customer'}}"},
    )
    async def thank(ctx: Context, order_id: int, name: str) -> None:
        thanked.append((order_id, name, ctx.correlation_id))

    async with a_worker():
        await hr.emit("order.paid", {"id": 6, "total": 20})
        await hr.emit("order.paid", {"id": 7, "total": 250}, correlation_id="checkout-7")
        await until("somebody is thanked", lambda: len(thanked) > 0)
    assert thanked == [(7, "customer", "checkout-7")]


async def test_an_event_is_part_of_the_callers_transaction(hr: Headrace, a_worker: AWorker, database_url: str) -> None:
    seen: list[str] = []

    @hr.job(event="user.*", payload={"name": "{{event.name}}"})
    async def welcome(name: str) -> None:
        seen.append(name)

    connection = await asyncpg.connect(database_url)
    async with a_worker():
        transaction = connection.transaction()
        await transaction.start()
        await hr.emit("user.joined", {"name": "nobody"}, connection=connection)
        await transaction.rollback()
        async with connection.transaction():
            await hr.emit("user.joined", {"name": "Ada"}, connection=connection)
            await connection.execute("""select headrace.emit('user.invited', '{"name": "Grace"}')""")
        await until("both are welcomed", lambda: len(seen) >= 2)
    assert sorted(seen) == ["Ada", "Grace"]
    await connection.close()


async def test_a_burst_becomes_one_job_and_each_event_says_why(
    hr: Headrace, a_worker: AWorker, database_url: str
) -> None:
    indexed: list[str] = []

    @hr.job(event="folder.changed", payload={"path": "{{event.path}}"}, dedupe_window=60)
    async def index_folder(path: str) -> None:
        indexed.append(path)

    sql = await asyncpg.connect(database_url)
    async with a_worker():
        for path in ("/inbox", "/inbox", "/post"):
            await hr.emit("folder.changed", {"path": path})
        await hr.emit("folder.changed", {"name": "without a path"})

        async def are_delivered() -> bool:
            return bool(await sql.fetchval("select count(*) = 4 from headrace.delivery"))

        await until("all are delivered", are_delivered)
        await until("both folders are indexed", lambda: len(indexed) >= 2)
    reasons = await sql.fetch("select reason from headrace.delivery order by reason nulls first")
    assert sorted(indexed) == ["/inbox", "/post"]
    assert [row["reason"] for row in reasons] == [None, None, "deduplicated", "template_error"]
    await sql.close()
