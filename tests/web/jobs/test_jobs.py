"""The table of jobs: found, followed, chosen and changed."""

from __future__ import annotations

import re

from playwright.async_api import expect
from tests.waiting import until
from tests.web.dash import Dash


async def test_a_row_says_what_became_of_a_job(dash: Dash) -> None:
    good = await dash.ended("greet", {"name": "a"})
    bad = await dash.ended("fail", {"text": "user 40213 has no address"})
    dead = await dash.ended("give_up")
    await dash.open("/jobs")

    await expect(dash.row(good)).to_contain_text("succeeded")
    await expect(dash.row(bad)).to_contain_text("user 40213 has no address")
    await expect(dash.row(dead)).to_contain_text("dead letter")
    await expect(dash.row(dead)).to_contain_text("2 of 2")
    await expect(dash.row(good).locator("time")).to_have_attribute("title", re.compile(r"^\w{3} \d+ \w+ \d{4}, .*UTC$"))
    for name, count in (("Succeeded", "1"), ("Failed", "1"), ("Dead letter", "1"), ("Canceled", "0")):
        await expect(dash.page.get_by_role("link", name=f"{name} {count}", exact=True)).to_be_visible()


async def test_before_the_first_job_it_says_so(dash: Dash) -> None:
    await dash.open("/jobs")
    await expect(dash.page.get_by_role("heading", name="No jobs yet")).to_be_visible()
    await dash.open("/jobs?status=failed")
    await expect(dash.page.get_by_role("heading", name="No job is failed")).to_be_visible()


async def test_a_tab_shows_one_status(dash: Dash) -> None:
    good, bad = await dash.ended("greet", {"name": "a"}), await dash.ended("fail")
    await dash.open("/jobs")
    await dash.page.get_by_role("link", name=re.compile("^Failed")).click()

    await expect(dash.row(bad)).to_be_visible()
    await expect(dash.row(good)).to_have_count(0)
    await dash.address_has("status=failed")


async def test_a_search_is_made_of_qualifiers_that_are_suggested(dash: Dash) -> None:
    wanted = await dash.ended("fail", {"text": "ReadTimeout: no answer"})
    other = await dash.ended("fail", {"text": "something else"})
    third = await dash.ended("greet", {"name": "a"})
    await dash.open("/jobs")
    await expect(dash.row(third)).to_be_visible()

    await dash.page.keyboard.press("/")
    await dash.page.keyboard.type("def")
    await expect(dash.page.get_by_role("option", name="definition: the definition")).to_be_visible()
    await dash.page.keyboard.press("Tab")
    await dash.page.keyboard.type("fa")
    await dash.page.keyboard.press("Tab")
    await expect(dash.button("Remove definition:fail")).to_be_visible()
    await expect(dash.row(third)).to_have_count(0)
    await expect(dash.row(other)).to_be_visible()
    await dash.page.keyboard.type('error:"no answer" after:2h ')

    await expect(dash.row(wanted)).to_be_visible()
    await expect(dash.row(other)).to_have_count(0)
    await dash.page.reload()
    await expect(dash.row(wanted)).to_be_visible()
    await expect(dash.button('Remove error:"no answer"')).to_be_visible()


async def test_a_token_is_taken_away_by_its_button_and_by_backspace(dash: Dash) -> None:
    good, bad = await dash.ended("greet", {"name": "a"}), await dash.ended("fail")
    await dash.open("/jobs?q=definition:fail+status:unsuccessful")
    await expect(dash.row(bad)).to_be_visible()
    await dash.button("Remove status:unsuccessful").click()
    await dash.page.get_by_role("combobox", name="Search jobs").focus()
    await dash.page.keyboard.press("Backspace")

    await expect(dash.row(good)).to_be_visible()


async def test_a_query_that_makes_no_sense_is_explained(dash: Dash) -> None:
    await dash.open("/jobs?q=after:soon")
    await expect(dash.page.get_by_role("alert")).to_have_text("after: use a duration like 2h, or a date.")


async def test_a_search_that_finds_nothing_says_what_would(dash: Dash) -> None:
    await dash.ended("greet", {"name": "a"})
    await dash.open("/jobs?q=definition:greet+before:7d")
    await expect(dash.page.get_by_text("The same search over all times finds 1 job.")).to_be_visible()
    await dash.page.get_by_role("link", name="Search all times").click()
    await expect(dash.page.locator("tbody tr")).to_have_count(1)


async def test_new_jobs_come_by_themselves_and_rows_change_in_place(dash: Dash) -> None:
    first = await dash.ended("greet", {"name": "a"})
    await dash.open("/jobs")
    await expect(dash.row(first)).to_be_visible()
    await expect(dash.page.locator(".sidebar")).to_contain_text("Live")
    running = await dash.enqueue("hold")

    await expect(dash.row(running)).to_contain_text("running")
    await expect(dash.row(running)).to_contain_text("1,240 of 2,000 files")
    await expect(dash.page.locator("tbody tr").first).to_have_attribute("data-job", running)
    await dash.api.post(f"/jobs/{running}/cancel")
    await expect(dash.row(running)).to_contain_text("canceled")


async def test_new_jobs_wait_while_the_reader_selects(dash: Dash) -> None:
    first = await dash.ended("fail")
    await dash.open("/jobs")
    await dash.row(first).get_by_role("checkbox").check()
    second = await dash.ended("greet", {"name": "a"})

    newer = dash.button("1 newer job")
    await expect(newer).to_be_visible()
    await expect(dash.row(second)).to_have_count(0)
    await newer.click()
    await expect(dash.row(second)).to_be_visible()
    await expect(dash.row(first).get_by_role("checkbox")).to_be_checked()


async def test_many_are_retried_after_a_count(dash: Dash) -> None:
    ids = [await dash.ended("fail") for _ in range(3)]
    await dash.open("/jobs")
    for job_id in ids[:2]:
        await dash.row(job_id).get_by_role("checkbox").check()
    bar = dash.page.get_by_role("toolbar", name="Selected")
    await expect(bar).to_contain_text("2 selected all failed")
    await bar.get_by_role("button", name="Retry 2").click()
    dialog = dash.page.get_by_role("dialog", name="Retry 2 jobs")
    await dialog.get_by_role("button", name="Retry 2").click()

    await expect(dash.page.get_by_text("2 jobs retried.")).to_be_visible()
    for job_id, runs in zip(ids, (2, 2, 1), strict=True):
        await dash.until(job_id, "failed")
        assert (await dash.job(job_id))["run"] == runs
    await expect(bar).to_be_hidden()


async def test_many_are_canceled(dash: Dash) -> None:
    ids = [await dash.enqueue("greet", {"name": "x"}, delay_seconds=3600) for _ in range(2)]
    await dash.open("/jobs")
    await dash.page.get_by_role("checkbox", name="Select all on this page").check()
    await dash.button("Cancel 2").click()
    await dash.page.get_by_role("dialog").get_by_role("button", name="Cancel 2").click()
    await expect(dash.page.get_by_text("2 jobs canceled.")).to_be_visible()
    for job_id in ids:
        await expect(dash.row(job_id)).to_contain_text("canceled")


async def _ran_twice(dash: Dash, job_id: str) -> bool:
    job = await dash.job(job_id)
    return bool(job["run"] == 2 and job["status"] == "failed")


async def test_the_keyboard_does_it_all(dash: Dash) -> None:
    older, newer = await dash.ended("fail"), await dash.ended("fail")
    await dash.open("/jobs")
    await expect(dash.row(older)).to_be_visible()
    await dash.page.keyboard.press("j")
    await expect(dash.row(newer)).to_have_class(re.compile("is-cursor"))
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("x")
    await expect(dash.row(older).get_by_role("checkbox")).to_be_checked()
    await dash.page.keyboard.press("x")
    await dash.page.keyboard.press("r")
    await until("it has run again", lambda: _ran_twice(dash, older))
    await dash.page.keyboard.press("k")
    await dash.page.keyboard.press("Enter")
    await expect(dash.page.locator(".crumbs")).to_contain_text(newer)


async def test_a_running_job_is_canceled_by_key_after_a_question_and_one_that_waits_at_once(dash: Dash) -> None:
    waiting = await dash.enqueue("hold", delay_seconds=3600)
    running = await dash.enqueue("hold")
    await dash.open("/jobs")
    await expect(dash.row(running)).to_contain_text("running")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("c")
    await dash.page.get_by_role("dialog").get_by_role("button", name="Let it run").click()
    assert not (await dash.job(running))["cancel_requested"]
    await dash.page.keyboard.press("c")
    await dash.page.get_by_role("button", name="Cancel the job").click()
    await expect(dash.row(running)).to_contain_text("canceled")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("c")
    await expect(dash.row(waiting)).to_contain_text("canceled")


async def test_a_refused_change_is_taken_back_and_explained(dash: Dash) -> None:
    job_id = await dash.ended("fail")
    await dash.open("/jobs")
    await expect(dash.row(job_id)).to_be_visible()
    await dash.refuse("**/retry", 409, "another job has its key now")
    await dash.page.keyboard.press("j")
    await dash.page.keyboard.press("r")
    await expect(dash.page.locator(".toast")).to_contain_text("Not retried. another job has its key now")
    await expect(dash.row(job_id)).to_contain_text("failed")


async def test_a_job_is_enqueued_with_a_form_made_from_its_schema(dash: Dash) -> None:
    await dash.open("/jobs")
    await dash.page.keyboard.press("e")
    dialog = dash.page.get_by_role("dialog", name="Enqueue job")
    await dialog.get_by_label("Definition").select_option("greet")
    await dialog.get_by_label("times").fill("many")
    await dialog.get_by_role("button", name="Enqueue", exact=True).click()
    await expect(dialog).to_contain_text("This field is required.")
    await dialog.get_by_label("name").fill("world")
    await dialog.get_by_role("button", name="Enqueue", exact=True).click()
    await expect(dialog).to_contain_text("many is not a number.")
    await dialog.get_by_label("times").fill("12")
    await dialog.get_by_role("button", name="Enqueue", exact=True).click()
    await expect(dialog).to_contain_text(re.compile("less than or equal to 9|maximum"))
    await dialog.get_by_label("times").fill("2")
    await dialog.get_by_label("tone").select_option(label="dry")
    await dialog.get_by_role("button", name="Enqueue", exact=True).click()

    await dash.page.get_by_role("link", name="Open").click()
    await expect(dash.page.get_by_text('"hello world! hello world! "')).to_be_visible()


async def test_pages_go_back_and_forth(dash: Dash) -> None:
    jobs = [{"definition": "greet", "payload": {"name": str(n)}, "delay_seconds": 3600} for n in range(60)]
    await dash.api.post("/jobs/batch", json={"jobs": jobs})
    await dash.open("/jobs")
    await expect(dash.page.locator("tbody tr")).to_have_count(50)
    await dash.page.get_by_role("link", name="Older").click()
    await expect(dash.page.locator("tbody tr")).to_have_count(10)
    await dash.page.keyboard.press("[")
    await expect(dash.page.locator("tbody tr")).to_have_count(50)


async def test_views_and_columns_are_remembered(dash: Dash) -> None:
    job_id = await dash.ended("fail")
    await dash.open("/jobs?q=definition:fail")
    await dash.button("Saved views").click()
    await dash.page.get_by_role("menuitem", name="Save this view").click()
    await dash.button("Columns").click()
    await dash.page.get_by_role("menuitemcheckbox", name="Queue").click()
    await dash.open("/jobs")
    await expect(dash.page.get_by_role("columnheader", name="Queue")).to_be_visible()
    await dash.button("Saved views").click()
    await dash.page.get_by_role("menuitem", name="definition:fail").click()
    await expect(dash.button("Remove definition:fail")).to_be_visible()
    await expect(dash.row(job_id)).to_be_visible()


async def test_a_list_that_cannot_be_read_says_why_and_can_be_tried_again(dash: Dash) -> None:
    await dash.refuse("**/api/v1/jobs?*")
    await dash.open("/jobs")
    await expect(dash.page.locator(".sidebar")).to_contain_text("Live")
    await expect(dash.page.get_by_role("alert")).to_contain_text("The jobs could not be read")
    await dash.try_again("**/api/v1/jobs?*")
    await expect(dash.page.get_by_role("heading", name="No jobs yet")).to_be_visible()
