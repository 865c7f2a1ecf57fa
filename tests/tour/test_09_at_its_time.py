"""Schedules: a rhythm, a time of day, once for each version, and what became of each due time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

from tests.tour.conftest import AWorker
from tests.waiting import until

from headrace import Context, Headrace


async def test_a_job_repeats_at_its_interval(hr: Headrace, a_worker: AWorker) -> None:
    due: list[datetime] = []

    @hr.job(every=timedelta(milliseconds=200))
    async def tick(ctx: Context) -> None:
        assert ctx.scheduled_for is not None
        due.append(ctx.scheduled_for)

    async with a_worker():
        await until("it has run three times", lambda: len(due) >= 3)
        trigger = await hr.control.triggers.get("tick")
    assert len(set(due)) == len(due)
    assert {(at - trigger.settings["starts_at"]) % timedelta(milliseconds=200) for at in due} == {timedelta(0)}


async def test_a_cron_rule_is_read_on_the_clocks_of_its_zone(hr: Headrace) -> None:
    @hr.job(cron="30 2 * * *", timezone="Europe/Berlin")
    async def report() -> None: ...

    async with hr:
        words, times = await hr.control.triggers.preview("report", 370)
    assert words == "At 02:30"
    notes = [note for _, note in times if note]
    assert "clocks go forward: moved from 02:30 to 03:00" in notes
    assert "clocks go back: first 02:30, the second does not count" in notes


async def test_a_job_runs_once_for_each_version(hr: Headrace, a_worker: AWorker) -> None:
    runs: list[str] = []

    @hr.job(init="2026-11")
    async def fill_cache(ctx: Context) -> None:
        runs.append(ctx.definition)

    for _ in range(2):
        async with a_worker():
            await until("it has run", lambda: len(runs) > 0)
    assert runs == ["fill_cache"]


async def test_every_due_time_is_among_the_fires(hr: Headrace, a_worker: AWorker) -> None:
    go_on = asyncio.Event()

    @hr.job(every=0.2, overlap="skip", catch_up="all")
    async def slow() -> None:
        await go_on.wait()

    async with a_worker():

        async def was_skipped() -> bool:
            return len(await hr.control.triggers.fires("slow")) >= 3

        await until("later times were skipped", was_skipped)
        later, first = (await hr.control.triggers.fires("slow"))[-2:]
        go_on.set()
    assert (first.outcome, later.outcome, later.reason) == ("fired", "skipped", "overlap")
    assert later.due_at - first.due_at == timedelta(milliseconds=200)


async def test_an_operator_has_the_last_word(hr: Headrace) -> None:
    @hr.job(cron="@daily")
    async def tidy() -> None: ...

    async with hr:
        triggers = hr.control.triggers
        await triggers.update("tidy", cron="0 4 * * *")
        await triggers.disable("tidy", note="the disk is being replaced")
    async with hr:  # the code says what it always said
        triggers = hr.control.triggers
        trigger = await triggers.get("tidy")
        assert (trigger.enabled, trigger.pause_note) == (False, "the disk is being replaced")
        assert trigger.overrides == {"cron": ("@daily", "0 4 * * *")}
        await triggers.reset("tidy")
        assert (await triggers.get("tidy")).settings["cron"] == "@daily"
        ran = await triggers.fire("tidy")  # also while it is off
        assert (await hr.get_job(ran.job_id)).source == "manual"
