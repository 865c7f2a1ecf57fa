"""`headrace stats`: how much there is to do and how it goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.output.sparkline import spark
from headrace.cli.output.tables import Column, span

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

Window = Literal["1h", "6h", "24h", "7d", "30d"]
COUNTS = ("enqueued", "succeeded", "failed", "canceled", "dead_letter", "retried")
MOST_DEFINITIONS = 200
BUSIEST = [
    Column("definition", lambda row: row["key"], elastic=True),
    Column("enqueued", lambda row: row["enqueued"], right=True),
    Column("succeeded", lambda row: row["succeeded"], right=True),
    Column("failed", lambda row: row["failed"] + row["dead_letter"], right=True),
    Column("retried", lambda row: row["retried"], right=True, spare=True),
    Column("waited p95", lambda row: span(row["latency_p95"]), right=True),
    Column("took p95", lambda row: span(row["duration_p95"]), right=True),
]


@speaks_to_api
async def stats(
    call: Call,
    window: Annotated[Window, typer.Option("--window", help="The period up to now.")] = "24h",
    top: Annotated[
        int, typer.Option("--top", min=0, max=50, help="How many definitions to list, the busiest first.")
    ] = 5,
) -> None:
    """Show how many jobs wait, run, came in and ended, and the busiest definitions.

    Example: headrace stats --window 1h
    """
    async with call.api() as api:
        summary = await api.get("/jobs/summary", window=window)
        chart = await api.get("/charts/throughput", window=window)
        rows = await _busiest(api, window, top) if top else []
    total = _total(chart["items"])
    if call.as_json:
        call.show.json({"window": window, "summary": summary, "total": total, "busiest": rows})
        return
    _show(call, window, summary, chart, total)
    if rows:
        call.show.note("")
        call.show.table(rows, BUSIEST)


async def _busiest(api: Api, window: str, top: int) -> list[dict[str, Any]]:
    """A chart for each definition is asked for only where there are not too many of them."""
    keys = [item["key"] async for item in api.items("/definitions", limit=MOST_DEFINITIONS)]
    rows = [
        {"key": key} | _total((await api.get("/charts/throughput", window=window, definition=key))["items"])
        for key in keys
    ]
    busy = [row for row in rows if row["enqueued"] or row["succeeded"] or row["failed"] or row["dead_letter"]]
    return sorted(busy, key=lambda row: (-row["enqueued"] - row["succeeded"], row["key"]))[:top]


def _total(steps: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counts: dict[str, Any] = {name: sum(step[name] for step in steps) for name in COUNTS}
    for name in ("latency", "duration"):
        spreads = [step[f"{name}_seconds"] for step in steps if step[f"{name}_seconds"]["count"]]
        n = sum(spread["count"] for spread in spreads)
        counts[f"{name}_mean"] = sum(s["mean"] * s["count"] for s in spreads) / n if n else None
        # The worst step's: the truth of the whole is not above it.
        counts[f"{name}_p95"] = max((s["p95"] for s in spreads), default=None)
    return counts


def _show(
    call: Call, window: str, summary: Mapping[str, Any], chart: Mapping[str, Any], total: Mapping[str, Any]
) -> None:
    more = "+" if summary["dead_letter_capped"] else ""
    oldest = summary["oldest_queued_seconds"]
    steps = chart["items"]
    ended = [step["succeeded"] + step["failed"] + step["dead_letter"] + step["canceled"] for step in steps]
    rows = [
        ("now", f"{summary['queued']} queued, {summary['running']} running, {summary['scheduled']} scheduled"),
        ("oldest", None if oldest is None else f"queued for {span(oldest)}"),
        ("dead letter", f"{summary['dead_letter']}{more}"),
        (
            f"last {window}",
            f"{summary['succeeded']} succeeded, {summary['failed']} failed, {summary['canceled']} canceled",
        ),
        ("came in", f"{total['enqueued']:>7}  {spark([step['enqueued'] for step in steps])}"),
        ("ended", f"{sum(ended):>7}  {spark(ended)}"),
        ("waited", f"{span(total['latency_mean'])} on average, {span(total['latency_p95'])} for the 95th percentile"),
        ("took", f"{span(total['duration_mean'])} on average, {span(total['duration_p95'])} for the 95th percentile"),
    ]
    call.show.item(summary, rows)
