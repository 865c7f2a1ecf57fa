"""One job: its story, its lines, and what can be done with it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from playwright.async_api import Browser, expect
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer

NOBODY = "01956c1e-7a40-7c52-9b1d-5f20c3a8e41c"


async def stored(dash: Dash, job_id: str) -> dict[str, Any]:
    """Its payload as the database has it, with what is masked for people."""
    connection = await asyncpg.connect(dash.server.database_url)
    try:
        payload: dict[str, Any] = json.loads(
            await connection.fetchval("select payload from headrace.job where id = $1", UUID(job_id))
        )
    finally:
        await connection.close()
    return payload


async def test_the_log_of_a_running_job_is_followed_as_it_comes(dash: Dash) -> None:
    job_id = await dash.enqueue("hold")
    await dash.open(f"/jobs/{job_id}")
    log = dash.page.get_by_role("log")

    await expect(log).to_contain_text("still here 2")
    await expect(log).to_contain_text("still here 6")
    await expect(dash.page.get_by_text("Following")).to_be_visible()
    await expect(dash.page.locator(".page-head")).to_contain_text("running, attempt 1 of 1")
    await expect(dash.page.get_by_role("progressbar", name="Progress")).to_have_attribute("aria-valuenow", "62")
    await dash.button("Cancel").click()
    await dash.page.get_by_role("dialog").get_by_role("button", name="Let it run").click()
    await expect(dash.page.get_by_role("dialog")).to_have_count(0)
    assert not (await dash.job(job_id))["cancel_requested"]
    await dash.page.keyboard.press("c")
    await expect(dash.page.get_by_role("dialog", name=re.compile("^Cancel hold"))).to_contain_text("asked to stop")
    await dash.page.get_by_role("button", name="Cancel the job").click()
    await expect(dash.page.locator(".page-head")).to_contain_text("canceled")
    await expect(dash.button("Retry")).to_be_visible()


async def test_lines_have_colours_levels_and_addresses(dash: Dash) -> None:
    job_id = await dash.ended("talk", {"lines": 30})
    await dash.open(f"/jobs/{job_id}")
    log = dash.page.get_by_role("log")
    await expect(log.locator(".ansi-green.ansi-bold")).to_have_text("green and bold")
    await expect(log.locator(".ansi-red")).to_have_text("red")
    await expect(log.locator(".is-error")).to_contain_text("line")

    await dash.button("Warning").click()
    await expect(log.locator("li:not(.run-rule)")).to_have_count(2)
    await dash.button("Debug").click()
    await dash.page.get_by_label("Search this log").fill("line 2")
    await expect(dash.page.get_by_text("1 of 11")).to_be_visible()
    await dash.page.keyboard.press("Enter")
    await expect(dash.page.get_by_text("2 of 11")).to_be_visible()
    await dash.open(f"/jobs/{job_id}#L25")
    await expect(log.locator(".is-target .n")).to_have_text("25")


@pytest.mark.parametrize("role", ["tenant_viewer", "super_admin"])
async def test_the_log_is_downloaded_for_the_tenant_that_is_chosen(
    browser: Browser, dashboard: DashboardServer, tenant: str, role: str
) -> None:
    async with reading(browser, dashboard, tenant, role=role) as dash:
        job_id = await dash.ended("talk", {"text": "kept"})
        chosen = tenant if role == "super_admin" else None
        await dash.open(f"/jobs/{job_id}{f'?tenant={chosen}' if chosen else ''}")
        async with (
            dash.page.expect_request("**/logs?format=text") as asked,
            dash.page.expect_download() as begun,
        ):
            await dash.button("Download the log").click()
        file = await begun.value
        assert file.suggested_filename == f"job-{job_id}.log"
        assert "kept 3" in Path(await file.path()).read_text()
        assert await (await asked.value).header_value("X-Headrace-Tenant") == chosen
        assert dash.troubles == []


async def test_a_log_that_cannot_be_downloaded_says_why(dash: Dash) -> None:
    job_id = await dash.ended("talk")
    await dash.open(f"/jobs/{job_id}")
    await dash.refuse("**/logs?format=text", detail="The database took longer than 5 s to answer.")
    await dash.button("Download the log").click()
    await expect(dash.page.locator(".toast")).to_contain_text("Not downloaded. The database took longer")
    await expect(dash.button("Download the log")).to_be_enabled()


async def test_nine_thousand_lines_draw_only_those_in_sight(dash: Dash) -> None:
    job_id = await dash.ended("talk", {"lines": 9_000})
    await dash.open(f"/jobs/{job_id}")
    log = dash.page.get_by_role("log")
    await expect(dash.page.get_by_text("9,003 lines")).to_be_visible()
    assert await log.locator("li").count() < 120
    await log.evaluate("(el) => el.scrollTo(0, el.scrollHeight)")
    await expect(log).to_contain_text("line 9000")
    assert await log.locator("li").count() < 120


async def test_a_failed_job_shows_why_and_is_retried_beside_it(dash: Dash) -> None:
    job_id = await dash.ended("give_up", {"text": "no answer in 30 s"})
    await dash.open(f"/jobs/{job_id}")
    await expect(dash.page.locator(".attempt-list")).to_contain_text("TimeoutError: no answer in 30 s")
    await expect(dash.page.locator(".phase-failed")).to_have_count(2)
    await dash.page.locator(".attempt-list summary").first.click()
    await expect(dash.page.locator(".attempt-list")).to_contain_text("Traceback")
    await dash.button(re.compile("^Retry$")).click()
    await expect(dash.page.locator(".phase-failed")).to_have_count(4)


async def test_the_newest_of_many_attempts_are_shown_and_older_ones_when_they_are_asked_for(dash: Dash) -> None:
    job_id = await dash.ended("fail", {"text": "again and again"})
    connection = await asyncpg.connect(dash.server.database_url)
    await connection.execute(
        "insert into headrace.attempt"
        " (job_id, run, tenant_id, lane_id, worker_id, outcome, spent, queued_at, started_at, finished_at, error)"
        " select job_id, run + n, tenant_id, lane_id, worker_id, 'retried', 1, finished_at + pace * n,"
        " finished_at + pace * (n + 0.3), finished_at + pace * (n + 0.7), 'RuntimeError: run ' || run + n"
        " from headrace.attempt, generate_series(1, 104) as n, (select interval '10 seconds') as of (pace)"
        " where job_id = $1",
        UUID(job_id),
    )
    await connection.close()
    await dash.open(f"/jobs/{job_id}")
    shown = dash.page.locator(".attempt-list > li")
    await expect(shown).to_have_count(100)
    await expect(shown.first).to_contain_text("RuntimeError: run 105")
    await expect(dash.page.locator(".timeline")).to_contain_text("earlier attempts")
    await dash.button("Older").click()
    await expect(shown).to_have_count(105)
    await expect(dash.button("Older")).to_have_count(0)


async def test_a_retry_with_edits_is_a_job_that_refers_to_the_old_one(dash: Dash) -> None:
    job_id = await dash.ended("fail", {"text": "first"})
    await dash.open(f"/jobs/{job_id}")
    await dash.button("Retry with edits").click()
    dialog = dash.page.get_by_role("dialog")
    await expect(dialog.get_by_label("text")).to_have_value("first")
    await dialog.get_by_label("text").fill("second")
    await dialog.get_by_role("button", name="Enqueue").click()
    await dash.page.get_by_role("link", name="Open").click()
    await expect(dash.page.locator(".json").first).to_contain_text("second")
    await expect(dash.page.get_by_role("link", name=job_id[-8:])).to_be_visible()


async def test_a_retry_with_edits_keeps_what_is_masked(dash: Dash) -> None:
    job_id = await dash.ended("keep", {"api_key": "hunter2", "note": "fail"})
    await dash.open(f"/jobs/{job_id}")
    await dash.button("Retry with edits").click()
    dialog = dash.page.get_by_role("dialog")
    await expect(dialog.get_by_text("Masked. The value stays unless you write another one.")).to_be_visible()
    await dialog.get_by_label("note").fill("second")
    await dialog.get_by_role("button", name="Enqueue").click()
    await dash.page.get_by_role("link", name="Open").click()
    await expect(dash.page.locator(".json").first).to_contain_text('note "second"')
    assert await stored(dash, dash.page.url.rsplit("/", 1)[1]) == {"api_key": "hunter2", "note": "second"}


async def test_the_secret_of_a_copy_is_to_be_written(dash: Dash) -> None:
    job_id = await dash.ended("keep", {"api_key": "hunter2", "note": "first"})
    await dash.open(f"/jobs/{job_id}")
    await dash.button("Enqueue a copy").click()
    dialog = dash.page.get_by_role("dialog")
    await expect(dialog.get_by_label("note")).to_have_value("first")
    await expect(dialog.get_by_label("Api Key")).to_have_value("")
    await dialog.get_by_role("button", name="Enqueue").click()
    await expect(dialog.get_by_text("This field is required.")).to_be_visible()
    await dialog.get_by_label("Api Key").fill("hunter3")
    await dialog.get_by_role("button", name="Enqueue").click()
    await dash.page.get_by_role("link", name="Open").click()
    await expect(dash.page.locator(".masked")).to_be_visible()
    assert (await stored(dash, dash.page.url.rsplit("/", 1)[1]))["api_key"] == "hunter3"


async def test_secrets_are_masked_and_the_rest_is_a_tree(dash: Dash) -> None:
    payload = {"api_key": "hunter2", "note": "seen", "nested": {"a": "b"}}
    job_id = await dash.ended("keep", payload)
    await dash.open(f"/jobs/{job_id}")
    tree = dash.page.locator(".json").first
    await expect(tree).to_contain_text('note "seen"')
    await expect(tree.locator(".masked")).to_have_text("masked")
    assert "hunter2" not in await dash.page.content()


async def test_a_waiting_job_says_what_it_waits_for(dash: Dash) -> None:
    job_id = await dash.enqueue("greet", {"name": "a"}, delay_seconds=3600)
    await dash.open(f"/jobs/{job_id}")
    await expect(dash.page.get_by_text("Why it waits:")).to_be_visible()
    await expect(dash.page.get_by_text("The job has not started, so there are no lines yet.")).to_be_visible()


async def test_a_running_job_says_that_its_worker_is_silent(dash: Dash) -> None:
    job_id = await dash.enqueue("hold")
    said = [("silent", "Worker w1 has been silent for 50 s."), ("running", "The job is running on w1.")]
    answer = {"reasons": [{"code": code, "detail": detail} for code, detail in said]}
    await dash.page.route(re.compile(f"/jobs/{job_id}/why"), lambda route: route.fulfill(json=answer))
    await dash.open(f"/jobs/{job_id}")
    await expect(dash.page.locator(".why")).to_have_text("It may stand still: Worker w1 has been silent for 50 s.")


async def test_a_job_that_is_not_there_says_so(dash: Dash) -> None:
    await dash.open(f"/jobs/{NOBODY}")
    await expect(dash.page.get_by_role("alert")).to_contain_text("This job does not exist")
    await dash.open("/jobs/nonsense")
    await expect(dash.page.get_by_role("alert")).to_contain_text("could not be read")


async def test_it_is_copied_as_a_command(dash: Dash) -> None:
    job_id = await dash.ended("greet", {"name": "it's me"})
    await dash.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await dash.open(f"/jobs/{job_id}")
    await dash.button("Copy as").click()
    await dash.page.get_by_role("menuitem", name="headrace command").click()
    await expect(dash.page.get_by_text("Copied.")).to_be_visible()
    copied = await dash.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("headrace jobs enqueue greet --payload '{\"name\":\"it'\\''s me\"")


async def test_jobs_of_a_group_are_found_from_one_of_them(dash: Dash) -> None:
    group = 'a "quoted" group'
    ids = [await dash.ended("greet", {"name": "a"}, correlation_id=group) for _ in range(2)]
    await dash.ended("greet", {"name": "b"})
    await dash.open(f"/jobs/{ids[0]}")
    await dash.page.get_by_role("link", name=group).click()
    await expect(dash.page.locator("tbody tr")).to_have_count(2)
