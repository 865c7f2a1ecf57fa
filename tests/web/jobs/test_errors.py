"""Errors by kind, and dead letters: read, opened, edited, run again."""

from __future__ import annotations

import re

from playwright.async_api import Browser, expect
from tests.web.dash import Dash, reading
from tests.web.served import DashboardServer


async def test_alike_failures_are_one_row_that_opens(dash: Dash) -> None:
    await dash.ended("fail", {"text": "user 40213 has no address"})
    newest = await dash.ended("fail", {"text": "user 7 has no address"})
    await dash.ended("give_up")
    await dash.open("/errors")

    kind = dash.page.locator("li.error-group", has_text="has no address")
    await expect(kind).to_contain_text("in 2 jobs")
    await expect(dash.page.get_by_text("2 kinds")).to_be_visible()
    await kind.get_by_role("button", name=re.compile("has no address")).first.click()
    await expect(kind.get_by_role("link", name=re.compile(f"…{newest[-4:]}, attempt 1"))).to_be_visible()
    await dash.address_has("open=")
    await dash.page.reload()
    await expect(kind.locator("pre")).to_be_visible()
    await kind.get_by_role("link", name="in 2 jobs").click()
    await expect(dash.page.locator("tbody tr")).to_have_count(2)


async def test_all_jobs_of_a_kind_are_retried_after_a_count(dash: Dash) -> None:
    for n in range(3):
        await dash.ended("fail", {"text": f"user {n} has no address"})
    await dash.open("/errors?window=1h")
    await dash.button(re.compile("^Retry 3 of")).click()
    await dash.page.get_by_role("dialog", name="Retry 3 jobs").get_by_role("button", name="Retry 3").click()

    await expect(dash.page.locator(".toast")).to_contain_text("3 jobs retried.")


async def test_when_nothing_failed_it_says_so_and_an_error_is_told(dash: Dash) -> None:
    await dash.open("/errors")
    await expect(dash.page.get_by_role("heading", name="Nothing failed")).to_be_visible()
    await dash.refuse("**/api/v1/errors*")
    await dash.open("/errors")
    await expect(dash.page.get_by_role("alert")).to_contain_text("The errors could not be read")


async def test_a_dead_letter_is_looked_into_edited_and_redriven(dash: Dash) -> None:
    job_id = await dash.ended("give_up", {"text": "first"})
    await dash.open("/dead-letter")
    letter = dash.page.locator(f'[data-job="{job_id}"]')
    await expect(letter).to_contain_text("TimeoutError: first")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("Enter")
    await expect(letter.locator(".json")).to_contain_text("first")
    await letter.get_by_role("button", name="Edit and redrive").click()
    await dash.page.get_by_label("text").fill("second")
    await dash.button("Enqueue").click()

    await expect(dash.page.locator(".toast")).to_contain_text("Enqueued give_up")
    await expect(dash.page.locator("li.letter", has_text="TimeoutError: second")).to_be_visible()
    await expect(letter).to_have_count(0)
    await dash.open(f"/jobs/{job_id}")
    await expect(dash.page.locator(".banner")).to_contain_text("runs in its place")
    await expect(dash.button("Retry")).to_have_count(0)
    await dash.page.locator(".banner a").click()
    await expect(dash.page.get_by_role("link", name=job_id[-8:])).to_be_visible()


async def test_all_dead_letters_are_redriven_at_once_after_a_count(dash: Dash) -> None:
    for _ in range(2):
        await dash.ended("give_up")
    await dash.open("/dead-letter")
    await dash.button("Redrive all").click()
    await dash.page.get_by_role("dialog", name="Retry 2 jobs").get_by_role("button", name="Retry 2").click()
    await expect(dash.page.locator(".toast")).to_contain_text("2 jobs retried.")


async def test_one_dead_letter_is_redriven_and_the_list_can_be_empty(dash: Dash) -> None:
    await dash.open("/dead-letter")
    await expect(dash.page.get_by_role("heading", name="No dead letter")).to_be_visible()
    await dash.ended("give_up")
    await dash.button(re.compile("^Redrive give_up")).click()
    await expect(dash.page.locator(".toast")).to_contain_text("Redriven give_up")


async def test_a_viewer_reads_and_changes_nothing(browser: Browser, dashboard: DashboardServer, tenant: str) -> None:
    async with reading(browser, dashboard, tenant, role="tenant_viewer") as dash:
        await dash.ended("give_up")
        await dash.open("/errors")
        await expect(dash.page.locator("li.error-group")).to_be_visible()
        await expect(dash.button(re.compile("^Retry"))).to_have_count(0)
        await dash.open("/dead-letter")
        await expect(dash.page.locator("li.letter")).to_be_visible()
        await expect(dash.button(re.compile("Redrive|Delete"))).to_have_count(0)
        assert dash.troubles == []
