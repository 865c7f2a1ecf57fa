"""Repeating jobs that a running process adds and removes: one for each of its customers.

python register.py        # in this folder; runs for some seconds and needs no worker beside it
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import Counter

from headrace import Context, Headrace

hr = Headrace()
looked: Counter[str] = Counter()


async def poll_mailbox(ctx: Context, folder: str) -> str:
    """One function for all tenants of a key: it finds its own in the context. No @hr.job is needed."""
    ctx.log.info(f"{ctx.tenant}: looked into {folder}")  # kept with the job, and through `logging` also said here
    looked[ctx.tenant] += 1
    return folder


async def main() -> None:
    """Run a worker and, beside it, what customers want."""
    async with hr:
        await make_tenants("acme", "globex")
        worker = asyncio.create_task(hr.run_worker())
        # The first time is due at once, or at starts_at. However many processes register the same key for a tenant,
        # each time runs once, in one of them; and not while the one before still runs, for overlap is "skip" here.
        await hr.register(poll_mailbox, key="poll_mailbox", tenant="acme", every=0.5, payload={"folder": "inbox"})
        await hr.register(poll_mailbox, key="poll_mailbox", tenant="globex", every=0.5, payload={"folder": "orders"})
        await until_looked("acme", 2)
        await until_looked("globex", 2)

        await hr.unregister("poll_mailbox", tenant="acme")
        print("acme has left", flush=True)
        await until_looked("globex", looked["globex"] + 2)

        # A process that ends without this leaves its trigger: the next job waits for a worker that registers the key.
        await hr.unregister("poll_mailbox", tenant="globex")
        worker.cancel()
        await asyncio.wait([worker])


async def until_looked(tenant: str, times: int) -> None:
    """The worker beside us has been so often."""
    while looked[tenant] < times:  # noqa: ASYNC110 - an example may be simple
        await asyncio.sleep(0.05)


async def make_tenants(*names: str) -> None:
    """A tenant is a row."""
    async with hr.database.pool.acquire() as conn:
        await conn.executemany(
            "insert into headrace.tenant (name) values ($1) on conflict do nothing", [(name,) for name in names]
        )


if __name__ == "__main__":
    logging.basicConfig(format="%(message)s", stream=sys.stdout)
    logging.getLogger("headrace.job").setLevel(logging.INFO)
    asyncio.run(main())
