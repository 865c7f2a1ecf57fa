"""Jobs that start when something happens: events, conditions, templates and a dedupe window.

headrace dev events:hr     # in this folder; Ctrl-C stops it
python events.py           # beside it: emits, and shows what came of each event
"""

from __future__ import annotations

import asyncio

from headrace import Context, Headrace

hr = Headrace()


# Only orders of 100 and more; `100` in backticks is a number. A placeholder that is the whole text keeps its type, so
# order_id stays a number. What may be missing needs something to fall back on.
@hr.job(
    event="order.paid",
    condition="event.total >= `100`",
    payload={"order_id": "{{event.id}}", "greeting": "Dear {{event.customer.name || 'customer'}}"},
)
async def thank(ctx: Context, order_id: int, greeting: str) -> str:
    """The trigger is called `thank:event`."""
    return f"{greeting}, thank you for order {order_id} ({ctx.correlation_id})"


# Every event whose name begins with "folder.". The same folder makes one job in a minute, however often it changes.
@hr.job(event="folder.*", payload={"path": "{{event.path}}"}, dedupe_window=60)
async def index_folder(path: str) -> str:
    """A burst of changes becomes one job."""
    return f"indexed {path}"


WHAT_CAME_OF_THEM = """
select event.name, event.data, trigger.name, delivery.outcome, delivery.reason
  from headrace.event
  join headrace.delivery on delivery.event_id = event.id
  join headrace.trigger on trigger.id = delivery.trigger_id
 where event.id = any($1)
 order by array_position($1, event.id)
"""


async def main() -> None:
    """Publish some events, as an application does."""
    async with hr, hr.database.pool.acquire() as conn:
        # In your own transaction, beside your own tables: published if and only if it commits.
        async with conn.transaction():
            ids = [
                await hr.emit(
                    "order.paid",
                    {"id": 7, "total": 250, "customer": {"name": "Ada"}},
                    correlation_id="checkout-7",
                    connection=conn,
                ),
                await hr.emit("order.paid", {"id": 8, "total": 20}, connection=conn),
            ]
        transaction = conn.transaction()
        await transaction.start()
        await hr.emit("order.paid", {"id": 9, "total": 999}, connection=conn)
        await transaction.rollback()

        # By itself. Three changes within a minute: one job.
        ids += [await hr.emit("folder.changed", {"path": "/inbox"}) for _ in range(3)]

        # A placeholder that finds nothing is an error: it stands in that trigger's delivery, and stops nothing else.
        ids.append(await hr.emit("folder.renamed", {"from": "/inbox", "to": "/post"}))

        while True:
            found = await conn.fetch(WHAT_CAME_OF_THEM, ids)
            if len(found) == len(ids):
                break
            await asyncio.sleep(0.1)
        for row in found:
            print(*row)


if __name__ == "__main__":
    asyncio.run(main())
