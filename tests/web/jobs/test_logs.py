"""Lines of all jobs: found, narrowed, followed, linked to."""

from __future__ import annotations

import re

from playwright.async_api import expect
from tests.web.dash import Dash


async def test_words_are_found_and_a_line_leads_to_its_place(dash: Dash) -> None:
    job_id = await dash.ended("talk", {"lines": 30, "text": "needle"})
    await dash.ended("greet", {"name": "a"})
    await dash.open("/logs")
    await dash.page.keyboard.press("/")
    await dash.page.keyboard.type("needle")

    hits = dash.page.locator("li.hit")
    await expect(hits).to_have_count(31)
    await expect(hits.first.locator("mark")).to_have_text("needle")
    await dash.address_has("q=needle")
    await hits.filter(has_text="needle 7").locator(".hit-at").click()
    await expect(dash.page.get_by_role("heading", name="talk")).to_be_visible()
    await expect(dash.page).to_have_url(re.compile(rf"/jobs/{job_id}#R1-\d+$"))
    await expect(dash.page.locator(".log li.is-target")).to_contain_text("needle 7")


async def test_level_definition_and_time_narrow_it_and_stay_in_the_address(dash: Dash) -> None:
    await dash.ended("talk", {"lines": 2, "text": "said"})
    await dash.open("/logs?span=1h")
    hits = dash.page.locator("li.hit")
    await expect(hits.filter(has_text="said 1")).to_have_count(1)
    await dash.button("Error").click()
    await expect(hits).to_have_count(1)
    await dash.page.get_by_label("Definition").select_option("greet")
    await expect(dash.page.get_by_role("heading", name="No line matches")).to_be_visible()
    await dash.address_has("span=1h", "level=40", "definition=greet")
    await dash.button("All lines").click()
    await expect(hits.filter(has_text="said 1")).to_have_count(1)


async def test_lines_that_come_are_followed(dash: Dash) -> None:
    await dash.open("/logs")
    await expect(dash.page.get_by_role("heading", name="No lines yet")).to_be_visible()
    await dash.page.keyboard.press("f")
    await expect(dash.page.get_by_text("Following")).to_be_visible()
    await dash.ended("talk", {"lines": 1, "text": "fresh"})
    await expect(dash.page.locator("li.hit", has_text="fresh 1")).to_be_visible()


async def test_older_lines_come_by_the_cursor_and_each_once(dash: Dash) -> None:
    await dash.ended("talk", {"lines": 230, "text": "many"})
    await dash.open("/logs?q=many")
    hits = dash.page.locator("li.hit")
    await expect(hits).to_have_count(100)
    await expect(dash.page.get_by_text("Searched back to")).to_be_visible()
    await dash.button("Older lines").click()
    await expect(hits).to_have_count(200)
    await dash.button("Older lines").click()
    await expect(hits).to_have_count(231)


async def test_what_cannot_be_read_says_so(dash: Dash) -> None:
    await dash.refuse("**/api/v1/logs*")
    await dash.open("/logs")
    await expect(dash.page.get_by_role("alert")).to_contain_text("The lines could not be read")
    await dash.try_again("**/api/v1/logs*")
    await expect(dash.page.get_by_role("heading", name="No lines yet")).to_be_visible()
