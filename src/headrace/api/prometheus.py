"""Metrics in Prometheus's text format.

Written here and not by the client library's registry, which takes fifteen times as long for some thousand lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.utils import floatToGoString

from headrace.service.metrics.service import STATUSES, Buckets, Measured
from headrace.version import __version__

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
COUNTERS = {
    "enqueued": "Jobs that were enqueued.",
    "requeued": "Jobs that a person retried.",
    "succeeded": "Jobs that succeeded.",
    "failed": "Jobs that ended as failed: another attempt is of no use.",
    "canceled": "Jobs that were canceled.",
    "dead_letter": "Jobs that ended as dead_letter: all attempts are used up.",
    "retried": "Attempts after which another one follows.",
    "timed_out": "Attempts that ended at their timeout.",
    "lost": "Attempts whose worker was lost.",
}


def exposition(measured: Measured) -> str:
    """The page that a scrape gets."""
    return "".join(f"{line}\n" for line in _lines(measured))


def _lines(measured: Measured) -> Iterator[str]:
    yield from _family("headrace_build_info", "gauge", "The version of Headrace.", [({"version": __version__}, 1)])
    pairs = [_labels({"tenant": total.tenant, "definition": total.definition}) for total in measured.totals]
    for name, about in COUNTERS.items():
        yield from _head(f"headrace_jobs_{name}_total", "counter", about)
        for labels, total in zip(pairs, measured.totals, strict=True):
            yield f"headrace_jobs_{name}_total{labels} {_number(getattr(total, name))}"
    about = "Seconds from queued to started, by definition."
    yield from _histogram("headrace_queue_latency_seconds", about, measured.bounds, measured.latency)
    about = "Seconds from started to finished, by definition."
    yield from _histogram("headrace_run_duration_seconds", about, measured.bounds, measured.duration)
    yield from _gauges(measured)


def _gauges(measured: Measured) -> Iterator[str]:
    tenants = sorted({tenant for tenant, _ in measured.depth})
    depth = [
        ({"tenant": tenant, "status": status}, measured.depth.get((tenant, status), 0))
        for tenant in tenants
        for status in STATUSES
    ]
    yield from _family("headrace_queue_depth", "gauge", "Live jobs at the last sample.", depth)
    ages = [({"tenant": tenant}, measured.oldest_age.get(tenant, 0)) for tenant in tenants]
    yield from _family("headrace_oldest_queued_age_seconds", "gauge", "The wait of the oldest queued job.", ages)
    workers = [({"state": state}, n) for state, n in measured.workers.items()]
    yield from _family("headrace_workers", "gauge", "Workers; lost ones within the last hour.", workers)
    yield from _family(
        "headrace_scheduler_lag_seconds",
        "gauge",
        "How long the most overdue trigger has been due.",
        [({}, measured.scheduler_lag)],
    )
    if measured.sample_age is not None:
        yield from _family(
            "headrace_queue_sample_age_seconds",
            "gauge",
            "The age of the last sample of queue depths.",
            [({}, measured.sample_age)],
        )


def _histogram(name: str, about: str, bounds: Sequence[float], rows: Iterable[Buckets]) -> Iterator[str]:
    yield from _head(name, "histogram", about)
    edges = [*map(floatToGoString, bounds), "+Inf"]
    for row in rows:
        definition = _labels({"definition": row.definition})
        begin = f"{name}_bucket{definition[:-1]},le="
        counts = list(accumulate(row.counts))
        for edge, count in zip(edges, counts, strict=True):
            yield f'{begin}"{edge}"}} {_number(count)}'
        yield f"{name}_sum{definition} {_number(row.sum)}"
        yield f"{name}_count{definition} {_number(counts[-1])}"


def _family(name: str, kind: str, about: str, samples: Iterable[tuple[dict[str, str], Any]]) -> Iterator[str]:
    yield from _head(name, kind, about)
    for labels, value in samples:
        yield f"{name}{_labels(labels)} {_number(value)}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _labels(labels: dict[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
