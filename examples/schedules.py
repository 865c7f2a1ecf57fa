"""Jobs that start at their time: by a cron rule in a time zone, at an interval, and once for each version.

headrace dev schedules:hr     # in this folder; Ctrl-C stops it
python schedules.py           # beside it: what comes next, and a run by hand
"""

from __future__ import annotations

import asyncio
from datetime import timedelta

from headrace import Context, Headrace

hr = Headrace()


# At half past two as clocks in Berlin show it, each night once, also in the two nights in which clocks change. If no
# worker was up at that time it runs when one is, unless the last report is still being made.
@hr.job(cron="30 2 * * *", timezone="Europe/Berlin", catch_up="latest", overlap="skip")
async def nightly_report(ctx: Context) -> dict[str, str]:
    """The schedule bears the job's own name."""
    return {"message": f"report for {ctx.scheduled_for}, started by {ctx.triggered_by}"}


# The first reading is due at once. Times that passed while no worker was up are not made up for.
@hr.job(every=timedelta(seconds=2), catch_up="none", payload={"sensor": "boiler", "due": "{{scheduled_for}}"})
async def read_sensor(sensor: str, due: str) -> dict[str, str]:
    """The payload is made anew for each due time."""
    return {"sensor": sensor, "due": due}


# Once for version 2, however many workers start and however often. Going back to 1 would not run it again.
@hr.job(init="2")
async def fill_cache() -> str:
    """The trigger is called `fill_cache:init`."""
    return "the cache is full"


async def look() -> None:
    """What an operator may do from Python; see docs/how-to/schedules.md for all of it."""
    async with hr:
        triggers = hr.control.triggers
        for trigger in await triggers.list():
            print(f"{trigger.name}: next at {trigger.next_run_at}, {trigger.runs} runs")

        forecast = await triggers.preview("nightly_report", 400)
        print(f"\nnightly_report: {forecast.words}. Nights in which clocks change:")
        for due_at, note in forecast.times:
            if note:
                print(f"  {due_at:%Y-%m-%d %H:%M} UTC, {note}")

        ran = await triggers.fire("nightly_report")
        job = await hr.wait(ran.job_id, timeout=30)
        print(f"\nby hand: {job.status}, {job.result}")

        print("\nread_sensor's fires, newest first:")
        for line in await triggers.fires("read_sensor", limit=5):
            print(f"  {line.due_at:%H:%M:%S} {line.outcome} {line.reason or ''}")


if __name__ == "__main__":
    asyncio.run(look())
