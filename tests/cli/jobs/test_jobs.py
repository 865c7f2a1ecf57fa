"""`headrace jobs`: look at jobs, make them and change them."""

from __future__ import annotations

import json

import pytest
from tests.cli.touring import Cli


async def test_a_list_has_the_newest_first_for_people_and_for_programs(cli: Cli) -> None:
    old, new = await cli.ended("say_hello", name="a"), await cli.ended("charge_card", order=7)
    assert [job["id"] for job in await cli.json("jobs", "list")] == [new, old]
    head, first, second = (await cli.ok("jobs", "list")).splitlines()
    assert head.split()[:3] == ["id", "status", "definition"]
    assert first.split()[:3] == [new, "failed", "charge_card"]
    assert second.split()[:3] == [old, "succeeded", "say_hello"]
    assert "order 7: the card has expired" in first
    assert [job["id"] for job in await cli.json("jobs", "list", "--status", "failed", "--error", "expired")] == [new]
    assert [job["id"] for job in await cli.json("jobs", "list", "--status", "unsuccessful")] == [new]
    assert [job["id"] for job in await cli.json("jobs", "list", "--limit", "1")] == [new]
    assert await cli.ok("jobs", "list", "--definition", "make_report") == "no jobs match these filters\n"


async def test_every_filter_reaches_the_list(served: Cli) -> None:
    made = await served.one(
        "jobs", "enqueue", "send_reminder", "-a", "user_id=1", "--delay", "1h", "--correlation-id", "c"
    )
    await served.ended("say_hello", name="x")
    for chosen in (
        ("--status", "scheduled", "--status", "queued"),
        ("--queue", "mail"),
        ("--correlation", "c"),
        ("--definition", "send_reminder", "--source", "api"),
        ("--all", "--definition", "send_reminder", "--since", "2h", "--until", "now"),
    ):
        assert [job["id"] for job in await served.json("jobs", "list", *chosen)] == [made["id"]], chosen
    assert await served.json("jobs", "list", "--since", "2100-01-01") == []
    assert await served.json("jobs", "list", "--until", "1h") == []
    assert await served.json("jobs", "list", "--worker", "nobody") == []
    assert await served.json("jobs", "list", "--trigger", "nightly_cleanup") == []


async def test_a_narrow_table_shows_the_end_of_ids_which_suffices(served: Cli) -> None:
    job_id = await served.ended("charge_card", order=7)
    lines = (await served.ok("jobs", "list", COLUMNS="80")).splitlines()
    assert max(map(len, lines)) <= 80
    end = lines[1].split()[0]
    assert job_id.endswith(end)
    assert len(end) == 12
    assert (await served.one("jobs", "show", end))["id"] == job_id
    assert (await served.one("jobs", "show", job_id[:20]))["id"] == job_id


async def test_a_part_of_an_id_that_is_not_clear_is_not_found(served: Cli) -> None:
    first, _ = await served.ended("say_hello", name="a"), await served.ended("say_hello", name="b")
    assert "2 jobs match" in await served.refused("jobs", "show", first[:6], code=3)
    assert "none of the newest 5,000 jobs" in await served.refused("jobs", "why", "abc-abc", code=3)
    assert "is neither a job's id" in await served.refused("jobs", "logs", "../tokens", code=3)
    absent = "01900000-0000-7000-8000-000000000000"
    assert absent in await served.refused("jobs", "cancel", absent, code=3)


async def test_a_job_is_shown_with_payload_result_and_attempts(served: Cli) -> None:
    job_id = await served.ended("say_hello", name="Ada")
    whole = await served.one("jobs", "show", job_id)
    assert (whole["payload"], whole["result"]) == ({"name": "Ada"}, {"greeting": "Hello, Ada!"})
    text = await served.ok("jobs", "show", job_id)
    assert all(said in text for said in (job_id, "succeeded", '"name": "Ada"', "Hello, Ada!", "outcome"))
    (attempt,) = await served.json("jobs", "attempts", job_id)
    assert (attempt["run"], attempt["outcome"]) == (1, "succeeded")
    assert "outcome" in await served.ok("jobs", "attempts", job_id, "--traceback")


async def test_a_job_that_waits_says_why(served: Cli) -> None:
    job = await served.one("jobs", "enqueue", "send_reminder", "--arg", "user_id=1", "--at", "2100-01-01")
    assert "scheduled for 2100-01-01" in await served.ok("jobs", "why", job["id"])
    assert (await served.one("jobs", "why", job["id"]))["reasons"][0]["code"] == "scheduled"
    assert "scheduled for 2100-01-01" in await served.ok("jobs", "show", job["id"])


async def test_arguments_are_read_as_the_definition_says(served: Cli) -> None:
    how = ("--priority", "0", "--max-attempts", "1")
    job = await served.one("jobs", "enqueue", "make_report", "--arg", "pages=1", *how)
    assert (job["payload"], job["priority"], job["max_attempts"]) == ({"pages": 1}, 0, 1)
    assert "--arg pages is a whole number" in await served.refused("jobs", "enqueue", "make_report", "-a", "pages=many")
    assert "did you mean pages?" in await served.refused("jobs", "enqueue", "make_report", "-a", "page=1")
    assert "KEY=VALUE" in await served.refused("jobs", "enqueue", "make_report", "-a", "pages")
    assert "unknown definition" in await served.refused("jobs", "enqueue", "nothing", "-a", "x=1", code=3)
    assert await served.count() == 1


async def test_a_payload_comes_from_the_line_a_file_or_stdin(served: Cli) -> None:
    file = served.folder / "payload.json"
    file.write_text('{"name": "file"}')
    payload = '{"name": "x"}'
    for given, stdin in (
        (("--payload", payload), ""),
        (("--payload", "-"), payload),
        (("--payload-file", "-"), payload),
        (("--payload-file", str(file)), ""),
    ):
        job = await served.one("jobs", "enqueue", "say_hello", *given, stdin=stdin)
        assert job["payload"] == {"name": "file" if str(file) in given else "x"}
    assert (await served.one("jobs", "enqueue", "say_hello", "-p", payload, "-a", "name=y"))["payload"] == {"name": "y"}


@pytest.mark.parametrize(
    ("arguments", "complaint", "code"),
    [
        (("enqueue", "say_hello", "--payload", '{"name'), "--payload is not JSON", 2),
        (("enqueue", "say_hello", "--payload", "[1]"), "must be a JSON object", 2),
        (("enqueue", "say_hello", "--payload", '{"a": NaN}'), "not a JSON number", 2),
        (("enqueue", "say_hello", "--payload", "{}", "--payload-file", "x"), "not both", 2),
        (("enqueue", "say_hello", "--payload-file", "/no/such"), "unknown file", 3),
        (("enqueue", "say_hello", "--delay", "soon"), "--delay is a length of time like 30s", 2),
        (("enqueue", "say_hello", "--at", "noon"), "--at is a time like", 2),
        (("enqueue", "say_hello", "--at", "now", "--delay", "1s"), "not both", 2),
        (("enqueue", "say_hello", "--priority", "high"), "--priority", 2),
        (("enqueue",), "DEFINITION", 2),
        (("list", "--status", "gone"), "--status is one of scheduled, queued", 2),
        (("list", "--source", "moon"), "--source is one of", 2),
        (("list", "--since", "yore"), "--since is how long ago", 2),
        (("list", "--limit", "0"), "--limit", 2),
        (("list", "--colour"), "--colour", 2),
        (("wait", "abc", "--timeout", "x"), "--timeout is a length of time", 2),
        (("logs", "abc", "--level", "loud"), "--level is one of", 2),
        (("logs", "abc", "--stream", "tv"), "--stream is one of", 2),
        (("retry", "abc", "--payload", "{"), "not JSON", 2),
        (("bulk", "delete"), "--status", 2),
        (("lst",), "Did you mean 'list'?", 2),
    ],
)
async def test_what_is_wrong_is_told_before_anything_is_sent(
    nowhere: Cli, arguments: tuple[str, ...], complaint: str, code: int
) -> None:
    assert complaint in await nowhere.refused("jobs", *arguments, code=code)


async def test_keys_find_the_job_that_is_there_already(served: Cli) -> None:
    given = ("jobs", "enqueue", "say_hello", "-a", "name=x", "--idempotency-key", "k")
    first = await served.ok(*given)
    again = await served.ok(*given)
    assert first.startswith("enqueued  ")
    assert again.startswith("existing  ")
    assert first.split()[1] == again.split()[1]


async def test_waiting_tells_how_the_job_ended(cli: Cli) -> None:
    good = await cli.ok("jobs", "enqueue", "say_hello", "-a", "name=x", "--wait")
    assert "succeeded in" in good
    assert '{"greeting": "Hello, x!"}' in good
    said = await cli("jobs", "enqueue", "charge_card", "-a", "order=7", "--wait", "--json")
    assert (said.code, json.loads(said.out)["status"]) == (1, "failed")
    waited = await cli("jobs", "wait", json.loads(said.out)["id"])
    assert waited.code == 1
    assert "failed in" in waited.out
    job = await cli.one("jobs", "enqueue", "send_reminder", "-a", "user_id=1", "--delay", "1h")
    assert "still scheduled after 0.1 s" in await cli.refused("jobs", "wait", job["id"], "--timeout", "100ms", code=1)


async def test_jobs_are_canceled_and_run_again(served: Cli) -> None:
    waiting = [
        await served.one("jobs", "enqueue", "send_reminder", "-a", f"user_id={n}", "--delay", "1h") for n in (1, 2)
    ]
    ids = [job["id"] for job in waiting]
    assert await served.ok("jobs", "cancel", *ids) == f"{ids[0]}  canceled\n{ids[1]}  canceled\n"
    assert "queued again" in await served.ok("jobs", "retry", ids[0])
    new = await served.one("jobs", "retry", ids[1], "--payload", '{"user_id": 3}')
    assert (new["id"] != ids[1], new["payload"], new["source"]) == (True, {"user_id": 3}, "retry")
    done = await served.ended("say_hello", name="x")
    assert await served.ok("jobs", "cancel", done) == f"{done}  had ended: succeeded\n"


async def test_one_bad_id_does_not_keep_the_others_from_being_done(served: Cli) -> None:
    job = await served.one("jobs", "enqueue", "send_reminder", "-a", "user_id=1", "--delay", "1h")
    said = await served("jobs", "cancel", "fff-fff", job["id"])
    assert said.code == 3
    assert said.out == f"{job['id']}  canceled\n"
    assert said.err.startswith("headrace: none of the newest")


async def test_a_retry_of_a_live_job_fails(served: Cli) -> None:
    job = await served.one("jobs", "enqueue", "send_reminder", "-a", "user_id=1", "--delay", "1h")
    await served.refused("jobs", "retry", job["id"], code=1)


async def test_a_bulk_change_counts_asks_and_goes_through(cli: Cli) -> None:
    for n in range(3):
        await cli.one("jobs", "enqueue", "send_reminder", "-a", f"user_id={n}", "--delay", "1h")
    chosen = ("--definition", "send_reminder")
    assert await cli.ok("jobs", "bulk", "cancel", *chosen, "--dry-run") == "3 jobs to cancel\n"
    assert "Cancel 3 jobs? There is no terminal to answer: add --yes" in await cli.refused(
        "jobs", "bulk", "cancel", *chosen
    )
    done = await cli.one("jobs", "bulk", "cancel", *chosen, "--yes")
    assert (done["state"], done["done"]) == ("done", 3)
    assert await cli.ok("jobs", "bulk", "retry", *chosen, "--status", "canceled", "-y") == "3 queued again\n"
    assert await cli.one("jobs", "bulk", "retry", *chosen, "--dry-run") == {"matching": 0, "capped": False}
    assert await cli.ok("jobs", "bulk", "delete", "--status", "dead_letter", "--yes") == "0 jobs to delete\n"
    actions = [line.split()[1] for line in (await cli.ok("jobs", "bulk", "list")).splitlines()[1:]]
    assert actions == ["retry", "cancel"]
