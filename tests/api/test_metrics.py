"""Metrics: what Prometheus reads."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.api.conftest import Api
from tests.worker.running import app_on, finished, running

import headrace.service.metrics.service as metrics
from headrace.api.app import create_app
from headrace.config import ServerSettings
from headrace.worker.process.database_worker import WorkerProcess

Samples = dict[tuple[str, ...], float]


async def count(api: Api) -> None:
    await api.fold()
    await api.sample_queue()


async def scrape(client: httpx.AsyncClient) -> dict[str, Samples]:
    """Every sample, by its name and then by its labels' values."""
    answer = await client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found: dict[str, Samples] = {}
    for family in text_string_to_metric_families(answer.text):
        assert family.type != "unknown", family
        assert family.documentation, family
        for sample in family.samples:
            labels = tuple(sample.labels.values())
            assert labels not in found.setdefault(sample.name, {}), sample
            found[sample.name][labels] = sample.value
    return found


@pytest.fixture(autouse=True)
def _read_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "KNOWN_FOR", 0.0)


async def test_what_happened_to_jobs_is_counted(api: Api, admin: httpx.AsyncClient, acme: httpx.AsyncClient) -> None:
    @api.hr.job("fail", max_attempts=1)
    async def fail() -> None:
        raise ValueError("no")

    async with running(WorkerProcess(api.hr)):
        for key in ("work", "work", "fail"):
            await finished(api.hr, await api.hr.enqueue(key, tenant="acme"))
    await acme.post("/api/v1/jobs", json={"definition": "greet", "payload": {"name": "x"}})
    await count(api)

    found = await scrape(admin)

    assert found["headrace_jobs_enqueued_total"] == {("acme", "work"): 2, ("acme", "fail"): 1, ("acme", "greet"): 1}
    assert found["headrace_jobs_succeeded_total"]["acme", "work"] == 2
    assert found["headrace_jobs_dead_letter_total"]["acme", "fail"] == 1
    assert found["headrace_jobs_failed_total"]["acme", "work"] == 0
    assert found["headrace_queue_depth"] == {
        ("acme", "scheduled"): 0,
        ("acme", "queued"): 1,
        ("acme", "running"): 0,
    }
    assert 0 <= found["headrace_oldest_queued_age_seconds"]["acme",] < 60
    assert found["headrace_run_duration_seconds_count"]["work",] == 2
    assert found["headrace_workers"]["live",] == 0
    assert found["headrace_scheduler_lag_seconds"][()] == 0
    assert found["headrace_queue_sample_age_seconds"][()] < 60
    assert len(found["headrace_build_info"]) == 1


async def test_histograms_are_cumulative_and_end_with_all(api: Api, admin: httpx.AsyncClient) -> None:
    async with running(WorkerProcess(api.hr)):
        for _ in range(5):
            await finished(api.hr, await api.hr.enqueue("work"))
    await count(api)
    async with api.hr.database.pool.acquire() as conn:
        bounds = await conn.fetchval("select headrace.histogram_bounds()")

    found = await scrape(admin)

    for name in ("headrace_queue_latency_seconds", "headrace_run_duration_seconds"):
        buckets = {le: n for (definition, le), n in found[f"{name}_bucket"].items() if definition == "work"}
        assert [float(le) for le in buckets] == [*bounds, float("inf")]
        assert sorted(buckets.values()) == list(buckets.values())
        assert buckets["+Inf"] == found[f"{name}_count"]["work",] == 5
        assert 0 < found[f"{name}_sum"]["work",] < 60


async def test_a_new_database_has_metrics_too(admin: httpx.AsyncClient) -> None:
    found = await scrape(admin)

    assert found["headrace_workers"] == {("live",): 0, ("draining",): 0, ("stale",): 0, ("lost",): 0}


async def test_names_are_bounded_and_once_shown_stay(
    api: Api, admin: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics, "MOST_TENANTS", 2)
    monkeypatch.setattr(metrics, "MOST_DEFINITIONS", 2)
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute("insert into headrace.tenant (name) select 't' || n from generate_series(1, 4) as n")
        ids = [
            row[0] for row in await conn.fetch("select id from headrace.tenant where name ~ '^t[0-9]' order by name")
        ]
        work = await conn.fetchval("select id from headrace.definition where key = 'work'")
        for n, tenant_id in enumerate(ids, 1):
            await conn.execute(
                "insert into headrace.rollup_total"
                "       (tenant_id, definition_id, enqueued, latency_buckets, duration_buckets)"
                " values ($1, $2, $3, '{}', '{}')",
                tenant_id,
                work,
                n * 10,
            )
        before = await scrape(admin)
        await conn.execute("update headrace.rollup_total set enqueued = 1000 where tenant_id = $1", ids[0])
        after = await scrape(admin)

    assert before["headrace_jobs_enqueued_total"] == {("t4", "work"): 40, ("t3", "work"): 30, ("_other", "_other"): 30}
    assert after["headrace_jobs_enqueued_total"] == {
        ("t4", "work"): 40,
        ("t3", "work"): 30,
        ("_other", "_other"): 1020,
    }


async def test_many_tenants_and_definitions_make_a_page_of_bounded_size(api: Api, admin: httpx.AsyncClient) -> None:
    async with api.hr.database.pool.acquire() as conn:
        await conn.execute("insert into headrace.tenant (name) select 't' || n from generate_series(1, 150) as n")
        await conn.execute(
            "insert into headrace.definition (key, kind, app, hash)"
            " select 'd' || n, 'python', 'x', '-' from generate_series(1, 20) as n"
        )
        await conn.execute(
            "insert into headrace.rollup_total (tenant_id, definition_id, enqueued, latency_buckets, duration_buckets)"
            " select t.id, d.id, 1, '{1}', '{0, 1}' from headrace.tenant as t, headrace.definition as d"
        )
        everything = await conn.fetchval("select count(*) from headrace.rollup_total")

    found = await scrape(admin)

    enqueued = found["headrace_jobs_enqueued_total"]
    assert len({tenant for tenant, _ in enqueued}) <= metrics.MOST_TENANTS + 1
    assert len(enqueued) <= metrics.MOST_PAIRS + 1
    assert sum(enqueued.values()) == everything
    assert sum(found["headrace_run_duration_seconds_count"].values()) == everything


async def test_hostile_names_cannot_add_lines(api: Api) -> None:
    from headrace.api.prometheus import _labels

    line = "x" + _labels({"tenant": 'a"} 1\nheadrace_workers{state="live'}) + " 1"
    [family] = text_string_to_metric_families(line)

    assert [sample.labels for sample in family.samples] == [{"tenant": 'a"} 1\nheadrace_workers{state="live'}]


async def test_it_is_open_to_all_where_the_settings_say_so(database_url: str) -> None:
    hr = app_on(database_url)
    hr._settings = hr.settings.model_copy(update={"server": ServerSettings(metrics_public=True)})
    async with hr:
        client: Any = httpx.AsyncClient(transport=httpx.ASGITransport(create_app(hr)), base_url="http://headrace.test")
        async with client:
            assert "headrace_workers" in await scrape(client)
            assert (await client.get("/api/v1/admin/workers")).status_code == 401
