"""`headrace triggers` and `headrace schedules`: rules that enqueue jobs."""

from __future__ import annotations

import pytest
from tests.cli.touring import Cli
from tests.waiting import until

from headrace.db.connect import Connection

NIGHTLY = ("nightly", "say_hello", "--cron", "0 2 * * *", "--payload", '{"name": "night"}')
ON_FOLDER = ("on-folder", "say_hello", "--event", "folder.*", "--payload", '{"name": "{{event.path}}"}')


async def test_a_schedule_lives_from_create_to_delete(served: Cli) -> None:
    assert (await served.ok("schedules", "create", *NIGHTLY)).startswith("nightly  0 2 * * *  ")
    made = await served.one("schedules", "show", "nightly")
    assert (made["cron"], made["payload"], made["enabled"]) == ("0 2 * * *", {"name": "night"}, True)
    assert [one["name"] for one in await served.json("schedules", "list")] == ["nightly", "nightly_cleanup"]
    changed = await served.one("schedules", "update", "nightly", "--every", "15m", "--overlap", "skip", "--queue", "q")
    assert (changed["every_seconds"], changed["cron"], changed["queue"]) == (900, None, "q")
    assert (await served.one("schedules", "update", made["id"], "--unset", "queue"))["queue"] is None
    assert await served.ok("schedules", "disable", "nightly", "--note", "wait\nhere") == "nightly  off\n"
    assert [one["name"] for one in await served.json("schedules", "list", "--disabled")] == ["nightly"]
    assert "wait" in await served.ok("schedules", "show", "nightly")
    assert (await served.ok("schedules", "enable", "nightly")).startswith("nightly  on")
    assert "There is no terminal to answer: add --yes" in await served.refused("schedules", "delete", "nightly")
    assert "deleted" in await served.ok("schedules", "delete", "nightly", "--yes")
    assert "unknown schedule 'nightly'" in await served.refused("schedules", "show", "nightly", code=3)
    assert await served.ok("schedules", "fires", made["id"])  # which stays


async def test_a_schedule_is_fired_skipped_and_backfilled(served: Cli) -> None:
    await served.ok("schedules", "create", *NIGHTLY)
    ran = await served.one("schedules", "fire", "nightly")
    assert ran["fired"]
    skipped = await served.one("schedules", "skip", "nightly")
    assert (await served.one("schedules", "preview", "nightly", "-n", "1"))["times"][0]["due_at"] > skipped["skipped"]
    assert "3 jobs enqueued" in await served.ok("schedules", "backfill", "nightly", "--from", "3d")
    fires = await served.json("schedules", "fires", "nightly")
    assert sorted(line["triggered_by"] for line in fires) == ["backfill"] * 3 + ["manual"] * 2
    text = await served.ok("triggers", "fires", "nightly", "--limit", "5")
    assert ran["job_id"] in text
    assert "skip_next" in text
    assert {job["id"] for job in await served.json("jobs", "list", "--trigger", "nightly")} >= {ran["job_id"]}


async def test_a_schedule_whose_definition_is_gone_is_not_called_on(served: Cli, connection: Connection) -> None:
    await served.ok("schedules", "create", *NIGHTLY)
    assert " on " in await served.ok("schedules", "list")
    await connection.execute("update headrace.definition set deleted_from_code_at = now() where key = 'say_hello'")
    said = await served.ok("schedules", "show", "nightly")
    assert "the definition say_hello was deleted: the trigger makes no jobs" in said
    (line,) = [line for line in (await served.ok("schedules", "list")).splitlines() if line.startswith("nightly ")]
    assert " gone " in line
    status = "select enabled, obstacle from headrace.schedule_status where name = 'nightly'"
    assert tuple(await connection.fetchrow(status) or ()) == (True, "deleted_from_code")


async def test_a_fire_that_a_job_is_in_the_way_of_fails(served: Cli) -> None:
    await served.ok("schedules", "create", "slow", "make_report", "--every", "1d", "--payload", '{"pages": 4}')
    await served.ok("schedules", "fire", "slow")
    said = await served("schedules", "fire", "slow", "--overlap", "skip")
    assert said.code == 1
    assert "not fired" in said.out


async def test_a_preview_needs_no_trigger(served: Cli) -> None:
    answer = await served.one("schedules", "preview", "--cron", "0 2 * * *", "--timezone", "Europe/Berlin", "-n", "3")
    assert (answer["words"], len(answer["times"])) == ("At 02:00", 3)
    text = await served.ok("triggers", "preview", "--every", "90s", "--starts-at", "2030-01-01")
    assert text.startswith("Every 1 minute and 30 seconds\n")
    assert "2030-01-01 00:01:30 UTC" in text
    assert "Europe/Berlin" in await served.ok("schedules", "preview", "nightly_cleanup")


async def test_an_event_trigger_turns_events_into_jobs(served: Cli) -> None:
    made = await served.one("triggers", "create", *ON_FOLDER, "--condition", "event.size > `10`")
    assert (made["trigger_type"], made["event"]) == ("event", "folder.*")
    data = '{"path": "/a", "size": 11}'
    large = await served.one("events", "emit", "folder.new", "--data", data, "--correlation-id", "c")
    small = await served.one("events", "emit", "folder.new", "--data", "-", stdin='{"path": "/b", "size": 1}')

    async def delivered() -> bool:
        return len(await served.json("triggers", "deliveries", "on-folder")) == 2

    await until("both were delivered", delivered)
    shown = await served.one("events", "show", large["id"][-12:])
    assert [one["outcome"] for one in shown["deliveries"]] == ["fired"]
    assert (await served.one("jobs", "show", shown["deliveries"][0]["job_id"]))["payload"] == {"name": "/a"}
    assert "condition" in await served.ok("events", "show", small["id"])
    listed = await served.json("events", "list", "--name", "folder.new")
    assert [one["id"] for one in listed] == [small["id"], large["id"]]
    assert "1 of 1 triggers fired" in await served.ok("events", "list")
    job_id = shown["deliveries"][0]["job_id"]
    assert [job["id"] for job in await served.json("jobs", "list", "--trigger", "on-folder")] == [job_id]
    assert [job["id"] for job in await served.json("jobs", "list", "--event", large["id"])] == [job_id]
    assert (await served.one("triggers", "show", "on-folder"))["runs"] == 1
    assert made["id"] in await served.ok("jobs", "show", job_id)
    once = ("events", "emit", "folder.gone", "--idempotency-key", "k")
    assert (await served.one(*once))["id"] == (await served.one(*once))["id"]
    assert "was used before" in await served.refused(*once, "--data", '{"n": 1}', code=1)
    assert "on folder.*" in await served.ok("triggers", "list", "--definition", "say_hello", "--enabled")
    assert "skipped" in await served.ok("triggers", "deliveries", "on-folder")
    assert "unknown schedule" in await served.refused("schedules", "show", "on-folder", code=3)
    assert (await served.one("triggers", "update", "on-folder", "--cron", "@daily"))["trigger_type"] == "schedule"


async def test_a_template_is_tried_without_an_event(served: Cli) -> None:
    template = ("triggers", "test-render", "--payload", '{"name": "{{event.who}}"}')
    made = await served.one(
        *template, "--data", '{"who": "Ada"}', "--definition", "say_hello", "--condition", "event.who"
    )
    assert made == {"payload": {"name": "Ada"}, "error": None, "condition_holds": True}
    assert '"name": "Ada"' in await served.ok(*template, "--data", '{"who": "Ada"}')
    said = await served(*template)
    assert said.code == 1
    assert "who" in said.out


async def test_what_code_declares_can_be_changed_and_reset(served: Cli) -> None:
    await served.ok("triggers", "update", "nightly_cleanup", "--cron", "0 4 * * *", "--timezone", "UTC")
    assert 'cron: "0 4 * * *" (code: "0 3 * * *")' in await served.ok("triggers", "show", "nightly_cleanup")
    assert (await served.one("triggers", "reset", "nightly_cleanup"))["cron"] == "0 3 * * *"
    await served.refused("triggers", "delete", "nightly_cleanup", "--yes", code=1)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("create", "x", "work"), "the rule is missing"),
        (("create", "x", "work", "--cron", "0 25 * * *"), "The hour '25' is not valid"),
        (("create", "x", "work", "--cron", "daily"), "five fields"),
        (("create", "x", "work", "--every", "often"), "--every is a length of time"),
        (("create", "x", "work", "--cron", "@daily", "--every", "1h"), "one rule"),
        (("create", "x", "work", "--cron", "@daily", "--timezone", "Mars/Base"), "Mars/Base"),
        (("create", "x", "work", "--cron", "@daily", "--payload", "{"), "--payload is not JSON"),
        (("create", "x", "work", "--cron", "@daily", "--overlap", "maybe"), "--overlap is one of"),
        (("create", "x", "work", "--cron", "@daily", "--catch-up", "some"), "--catch-up is one of"),
        (("create", "x", "work", "--cron", "@daily", "--starts-at", "then"), "--starts-at is a time"),
        (("create", "x", "work", "--cron", "@daily", "--misfire-grace", "x"), "--misfire-grace is a length"),
        (("update", "x"), "nothing to change"),
        (("update", "x", "--unset", "name"), "--unset is one of"),
        (("preview",), "give a name, or a rule"),
        (("preview", "--timezone", "UTC"), "a rule needs --cron or --every"),
        (("preview", "--cron", "* * * *"), "five fields"),
        (("backfill", "x", "--from", "1d", "--until", "2d"), "--from must come before --until"),
        (("backfill", "x"), "--from"),
        (("fire", "x", "--overlap", "queue_one"), "--overlap is one of allow, skip"),
    ],
)
async def test_what_is_wrong_is_told_before_anything_is_sent(
    nowhere: Cli, arguments: tuple[str, ...], complaint: str
) -> None:
    assert complaint in await nowhere.refused("schedules", *arguments)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("events", "emit", "two words"), "words with dots between them"),
        (("events", "emit", "a.b", "--data", "[]"), "--data must be a JSON object"),
        (("triggers", "test-render", "--payload", "nothing"), "--payload is not JSON"),
        (("triggers", "create", "x", "work", "--cron", "@daily", "--condition", "x"), "--condition needs --event"),
    ],
)
async def test_so_it_is_with_events(nowhere: Cli, arguments: tuple[str, ...], complaint: str) -> None:
    assert complaint in await nowhere.refused(*arguments)
