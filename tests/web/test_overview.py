"""The overview: a sentence, figures, charts; in every state."""

from __future__ import annotations

import re

from playwright.async_api import expect
from tests.web.dash import Dash


async def test_on_the_first_day_it_shows_how_a_job_is_made(dash: Dash) -> None:
    await dash.open("/")
    await expect(dash.page.get_by_role("heading", name="All well")).to_be_visible()
    await expect(dash.page.get_by_role("heading", name="Enqueue the first job")).to_be_visible()
    await expect(dash.page.get_by_text("Nothing ran in the last hour.")).to_be_visible()


async def test_failures_are_the_headline_and_lead_to_their_jobs(dash: Dash) -> None:
    for _ in range(6):
        await dash.ended("fail")
    await dash.open("/")

    await expect(dash.page.get_by_role("heading", name="fail is failing")).to_be_visible()
    await expect(dash.page.get_by_role("img", name=re.compile("6 failed in all"))).to_be_visible()
    await dash.page.get_by_role("link", name="See the jobs").click()
    await expect(dash.page.locator("tbody tr")).to_have_count(6)


async def test_jobs_that_nobody_runs_are_told_with_what_to_do(dash: Dash) -> None:
    job_id = await dash.enqueue("nightly")
    await dash.open("/")
    # Told once the worker has sampled the queues, which it does by itself.
    await expect(dash.page.get_by_role("heading", name="No worker serves queue nobody")).to_be_visible()
    health = dash.page.locator(".health-lead")
    await expect(health).to_contain_text("1 job waits, the oldest for")
    await expect(health).to_contain_text("Start one with headrace worker --queues nobody.")
    await dash.page.get_by_role("link", name="See what waits").click()
    await expect(dash.row(job_id)).to_be_visible()


async def test_figures_change_as_jobs_come(dash: Dash) -> None:
    await dash.open("/")
    running = dash.page.locator(".stat", has_text="Running").locator(".stat-figure")
    await expect(running).to_have_text("0")
    job_id = await dash.enqueue("hold")
    await expect(running).to_have_text("1")
    await dash.api.post(f"/jobs/{job_id}/cancel")
    await expect(running).to_have_text("0")


async def test_a_panel_that_fails_fails_alone_and_comes_back(dash: Dash) -> None:
    await dash.ended("greet", {"name": "a"})
    await dash.refuse("**/api/v1/charts/busiest*", detail="The database took longer than 5 s to answer.")
    await dash.open("/")
    failed = dash.page.get_by_role("alert")
    await expect(failed).to_contain_text("This table could not be read")
    await expect(failed).to_contain_text("longer than 5 s")
    await expect(dash.page.locator(".stat-strip")).to_be_visible()

    await expect(failed.get_by_role("button", name="Try again")).to_be_visible()

    await dash.allow("**/api/v1/charts/busiest*")

    await expect(dash.page.get_by_role("link", name="greet")).to_be_visible()
    await expect(failed).to_be_hidden()


async def test_what_takes_long_has_a_skeleton(dash: Dash) -> None:
    release = await dash.hold("**/api/v1/charts/busiest*")
    await dash.open("/")
    skeleton = dash.page.get_by_role("region", name="Busiest definitions").get_by_role("status", name="Loading")
    await expect(skeleton).to_be_visible()
    release.set()
    await expect(skeleton).to_have_count(0)


async def test_the_range_stays_in_the_address(dash: Dash) -> None:
    await dash.open("/")
    await dash.button("7 d").click()
    await expect(dash.page.get_by_role("heading", name="Attempts in 2 hours")).to_be_visible()
    await dash.address_has("window=7d")
    await dash.page.reload()
    await expect(dash.button("7 d")).to_have_attribute("aria-pressed", "true")
