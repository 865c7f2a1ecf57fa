"""Two keys: one for requests that are repeated, one for work that is already waiting."""

from __future__ import annotations

import pytest

from headrace import Conflict, Headrace


async def test_the_same_idempotency_key_is_the_same_job(hr: Headrace) -> None:
    @hr.job
    async def pay(amount: int) -> None: ...

    async with hr:
        first = await pay.enqueue(amount=5, idempotency_key="order-7")
        assert await pay.enqueue(amount=5, idempotency_key="order-7") == first
        with pytest.raises(Conflict, match="order-7"):
            await pay.enqueue(amount=6, idempotency_key="order-7")


async def test_a_dedupe_key_is_held_while_the_job_is_live(hr: Headrace) -> None:
    @hr.job
    async def rebuild_index() -> None: ...

    async with hr:
        first = await rebuild_index.enqueue(dedupe_key="index")
        assert await rebuild_index.enqueue(dedupe_key="index") == first
        await hr.cancel(first)
        assert await rebuild_index.enqueue(dedupe_key="index") != first
