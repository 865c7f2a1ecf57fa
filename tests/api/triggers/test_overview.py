"""Many triggers at a glance over HTTP: how each has been doing, what will be due, what a backfill would make."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.triggers.test_runs import dispatch
from tests.api.triggers.test_triggers import TRIGGERS, make

from headrace.service.triggers import overview as triggers_overview
from headrace.service.triggers import service as triggers_service
from headrace.triggers import run_now

OVERVIEW = f"{TRIGGERS}/overview"
DAY = {"since": "2030-01-01T00:00:00Z", "until": "2030-01-01T23:59:59Z"}


async def test_each_trigger_says_its_rule_and_what_became_of_its_last_runs(acme: httpx.AsyncClient, api: Api) -> None:
    trigger = await make(acme, cron="30 2 * * *", timezone="America/New_York")
    place = f"{TRIGGERS}/{trigger['id']}"
    good, bad = [(await acme.post(f"{place}/fire")).json()["job_id"] for _ in range(2)]
    await api.end(good, "succeeded")
    await api.end(bad, "failed")
    await acme.post(f"{place}/skip-next")

    (found,) = (await acme.get(OVERVIEW)).json()["items"]

    assert found["words"] == "At 02:30"
    assert found["trigger"] == (await acme.get(place)).json()
    assert [run["status"] for run in found["runs"]] == ["skipped", "failed", "succeeded"]
    assert [run["job_id"] for run in found["runs"]] == [None, bad, good]
    assert found["runs"][0]["reason"] == "skip_next"


async def test_a_run_is_told_as_it_stands_and_forgotten_with_its_job(acme: httpx.AsyncClient, api: Api) -> None:
    trigger = await make(acme)
    ran = (await acme.post(f"{TRIGGERS}/{trigger['id']}/fire")).json()
    assert (await acme.get(OVERVIEW)).json()["items"][0]["runs"][0]["status"] == "queued"
    await api.execute("delete from headrace.queue where job_id = $1::uuid", ran["job_id"])
    assert (await acme.get(OVERVIEW)).json()["items"][0]["runs"][0]["status"] is None


async def test_an_event_trigger_shows_what_it_made_of_events(acme: httpx.AsyncClient, api: Api) -> None:
    await make(acme, cron=None, event="order.paid", condition="event.size > `1`")
    for size in (1, 2):
        await acme.post("/api/v1/events", json={"name": "order.paid", "data": {"size": size}})
        await api.wait_a_millisecond()
    await dispatch(api)
    (found,) = (await acme.get(OVERVIEW)).json()["items"]
    assert found["words"] is None
    assert [run["status"] for run in found["runs"]] == ["queued", "skipped"]


async def test_only_the_last_ten_are_told(acme: httpx.AsyncClient) -> None:
    trigger = await make(acme)
    await acme.post(f"{TRIGGERS}/{trigger['id']}/backfill", json={"from": DAY["since"], "until": DAY["until"]})
    runs = (await acme.get(OVERVIEW)).json()["items"][0]["runs"]
    assert [run["at"] for run in runs] == [f"2030-01-01T{hour:02}:00:00Z" for hour in range(23, 13, -1)]


async def test_the_change_of_clocks_among_the_next_ten_times_is_told(acme: httpx.AsyncClient) -> None:
    await make(acme, cron="30 2 * * *", timezone="America/New_York", starts_at="2030-03-08T00:00:00Z")
    (found,) = (await acme.get(OVERVIEW)).json()["items"]
    assert found["clock_change"] == {
        "due_at": "2030-03-10T07:00:00Z",
        "note": "clocks go forward: moved from 02:30 to 03:00",
    }


async def test_a_rule_that_cannot_be_read_spoils_nothing(acme: httpx.AsyncClient, api: Api) -> None:
    trigger = await make(acme)
    await api.execute("update headrace.trigger set cron = '99 * * * *' where id = $1::uuid", trigger["id"])
    (found,) = (await acme.get(OVERVIEW)).json()["items"]
    assert found["words"] is None
    (due,) = (await acme.get(f"{TRIGGERS}/calendar", params=DAY)).json()["items"]
    assert due["times"] == []


async def test_an_overview_is_filtered_and_paged_and_a_tenants_own(
    acme: httpx.AsyncClient, globex: httpx.AsyncClient
) -> None:
    for name in "abc":
        settings = {"definition": "greet", "payload": {"name": "x"}} if name == "b" else {}
        await make(acme, name=name, **settings)
    await make(globex, name="theirs")
    (only,) = (await acme.get(OVERVIEW, params={"definition": "greet"})).json()["items"]
    assert only["trigger"]["name"] == "b"
    first = (await acme.get(OVERVIEW, params={"limit": 2})).json()
    second = (await acme.get(OVERVIEW, params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [one["trigger"]["name"] for one in first["items"] + second["items"]] == ["a", "b", "c"]
    assert second["next_cursor"] is None


async def test_a_calendar_has_what_enabled_schedules_will_do(acme: httpx.AsyncClient) -> None:
    await make(acme, name="minutely", cron="* * * * *")
    await make(acme, name="nightly", cron="0 3 * * *")
    await make(acme, name="off", enabled=False)
    await make(acme, name="on event", cron=None, event="order.paid")
    found = (await acme.get(f"{TRIGGERS}/calendar", params=DAY)).json()
    minutely, nightly = found["items"]
    assert (minutely["name"], minutely["every_seconds"]) == ("minutely", 60)
    assert (nightly["times"], nightly["every_seconds"]) == (["2030-01-01T03:00:00Z"], None)
    assert found["more"] is False


async def test_a_calendar_does_not_show_a_time_that_was_skipped(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}"
    skipped = (await acme.post(f"{place}/skip-next")).json()["skipped"]
    now = datetime.now(UTC)
    week = {"since": now.isoformat(), "until": (now + timedelta(days=1)).isoformat()}
    (due,) = (await acme.get(f"{TRIGGERS}/calendar", params=week)).json()["items"]
    assert skipped not in due["times"]


async def test_a_calendar_has_an_end(acme: httpx.AsyncClient) -> None:
    for until in ("2030-02-02T00:00:00Z", "2029-01-01T00:00:00Z"):
        answer = await acme.get(f"{TRIGGERS}/calendar", params={"since": DAY["since"], "until": until})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "until")


async def test_a_backfill_is_counted_before_it_is_made(acme: httpx.AsyncClient) -> None:
    place = f"{TRIGGERS}/{(await make(acme))['id']}/backfill/preview"
    assert (await acme.get(place, params=DAY)).json() == {
        "due": 24,
        "first": "2030-01-01T00:00:00Z",
        "last": "2030-01-01T23:00:00Z",
        "too_many": False,
    }
    none = {"since": "2030-01-01T00:01:00Z", "until": "2030-01-01T00:02:00Z"}
    assert (await acme.get(place, params=none)).json()["due"] == 0
    years = {"since": "2030-01-01T00:00:00Z", "until": "2032-01-01T00:00:00Z"}
    many = (await acme.get(place, params=years)).json()
    assert (many["due"], many["too_many"]) == (10_000, True)
    backwards = await acme.get(place, params={"since": DAY["until"], "until": DAY["since"]})
    assert (backwards.status_code, backwards.json()["errors"][0]["field"]) == (422, "until")


async def test_a_range_of_more_than_a_hundred_years_is_refused_by_its_field(acme: httpx.AsyncClient) -> None:
    trigger_id = (await make(acme))["id"]
    since, until = "1950-01-01T00:00:00Z", "2050-01-03T00:00:00Z"
    answers = [
        await acme.get(f"{TRIGGERS}/{trigger_id}/backfill/preview", params={"since": since, "until": until}),
        await acme.post(f"{TRIGGERS}/{trigger_id}/backfill", json={"from": since, "until": until}),
    ]
    for answer in answers:
        assert answer.status_code == 422, answer.text
        (error,) = answer.json()["errors"]
        assert (error["field"], "at most 100 years" in error["message"]) == ("until", True)


async def test_no_due_time_and_no_template_is_worked_out_on_the_loop(
    acme: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    trigger_id = (await make(acme))["id"]
    here, seen = threading.get_ident(), list[tuple[str, int]]()
    watched = [
        (triggers_service, "forecast_trigger"),
        (triggers_service, "forecast_settings"),
        (triggers_service, "due_between"),
        (triggers_service, "render"),
        (triggers_overview, "forecast_trigger"),
        (triggers_overview, "spread_between"),
        (run_now, "_times"),
        (run_now, "plan_backfill"),
    ]
    for module, name in watched:
        monkeypatch.setattr(module, name, watching(getattr(module, name), f"{module.__name__}.{name}", seen))
    stretch = {"since": "2030-01-07T00:00:00Z", "until": "2030-01-09T00:00:00Z"}
    answers = [
        await acme.get(f"{TRIGGERS}/{trigger_id}/preview"),
        await acme.get(f"{TRIGGERS}/preview", params={"cron": "@daily"}),
        await acme.get(f"{TRIGGERS}/{trigger_id}/backfill/preview", params=stretch),
        await acme.post(f"{TRIGGERS}/test-render", json={"payload": {}}),
        await acme.get(f"{TRIGGERS}/overview"),
        await acme.get(f"{TRIGGERS}/calendar", params=stretch),
        await acme.post(
            f"{TRIGGERS}/{trigger_id}/backfill", json={"from": stretch["since"], "until": stretch["until"], "cap": 100}
        ),
    ]
    assert [answer.status_code for answer in answers] == [200] * 7
    assert {name for name, _ in seen} == {f"{module.__name__}.{name}" for module, name in watched}
    assert [name for name, thread in seen if thread == here] == []


def watching(function: Any, name: str, seen: list[tuple[str, int]]) -> Any:
    """The function, noting in which thread it is called."""

    def noted(*args: Any, **options: Any) -> Any:
        seen.append((name, threading.get_ident()))
        return function(*args, **options)

    return noted
