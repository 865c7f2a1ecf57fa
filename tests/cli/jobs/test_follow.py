"""`headrace jobs logs|watch|list --watch`, `headrace logs`: what jobs say, as they say it."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from uuid import UUID

import pytest
from tests.cli.touring import Cli
from tests.waiting import PATIENCE, until

from headrace.cli.logs.tables import plain

HOSTILE = "\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2J\x9b5m bell\x07 back\x08 \u202eturned"


async def test_lines_are_shown_for_people_and_for_programs(cli: Cli) -> None:
    job_id = await cli.ended("send_reminder", user_id=42)
    (line,) = await cli.json("jobs", "logs", job_id)
    assert (line["message"], line["fields"]["user_id"]) == ("reminding", 42)
    text = await cli.ok("jobs", "logs", job_id[-12:])
    assert "info     reminding" in text
    assert "user_id=42" in text
    assert await cli.ok("jobs", "logs", job_id, "--follow") == text
    assert await cli.json("jobs", "logs", job_id, "-f") == [line]
    assert await cli.ok("jobs", "logs", job_id, "--level", "error") == "no log lines\n"
    assert await cli.ok("jobs", "logs", job_id, "--stream", "stderr") == "no log lines\n"


async def test_lines_are_searched_and_followed(served: Cli) -> None:
    job_id = await served.ended("send_reminder", user_id=42)
    for chosen in ((), ("--definition", "send_reminder", "--since", "1h"), ("--job", job_id), ("--limit", "1")):
        (hit,) = await served.json("logs", "search", "reminding", *chosen)
        assert (hit["job_id"], hit["definition"]) == (job_id, "send_reminder")
    assert f"send_reminder {job_id[-12:]}  reminding" in await served.ok("logs", "search", "remind*", "--all")
    assert await served.ok("logs", "search", "absent", "--until", "now") == "no lines with this\n"
    assert await served.json("logs", "search", "reminding", "--level", "error") == []
    assert "--since" in await served.refused("logs", "search", "x", "--since", "yore")
    assert (await served.json("logs", "tail", "--for", "2s"))[0]["job_id"] == job_id
    assert "reminding" in await served.ok("logs", "tail", "remind*", "--job", job_id, "--for", "2s", "--every", "100ms")
    assert await served.ok("logs", "tail", "--definition", "say_hello", "--level", "info", "--for", "200ms") == ""


async def test_a_short_search_says_how_far_back_it_looked(served: Cli) -> None:
    for n in range(3):
        await served.ended("send_reminder", user_id=n)
    text = await served.ok("logs", "search", "reminding", "--limit", "2")
    assert len(text.splitlines()) == 3
    assert text.splitlines()[-1].startswith("searched back to ")


async def test_changes_are_watched(cli: Cli) -> None:
    from tests.cli.calling import Shell

    said = cli.folder / "said.log"
    process = Shell(cli.folder, **cli.variables).start("jobs", "watch", "--json")
    try:
        made: list[str] = []

        async def is_told() -> bool:
            """Of a job that came after the watching began; the first ones may have come before."""
            made.append(await cli.ended("say_hello", name="seen"))
            ended = [line for line in said.read_text().splitlines() if "succeeded" in line]
            return any(job_id in line for line in ended for job_id in made)

        await until("a job is told of that has succeeded", is_told)
    finally:
        process.send_signal(2)
        await asyncio.to_thread(process.wait, PATIENCE)


async def test_what_a_job_says_cannot_command_the_terminal(served: Cli) -> None:
    job_id = await served.ended("say_hello", name=HOSTILE)
    for arguments in (("jobs", "show", job_id), ("jobs", "show", job_id, "--json"), ("jobs", "wait", job_id)):
        text = await served.ok(*arguments)
        assert not set(text) & set("\x1b\x07\x08\x9b\u202e"), arguments
    shown = json.loads(await served.ok("jobs", "show", job_id, "--json"))
    assert shown["payload"] == {"name": HOSTILE}


def test_of_a_line_only_colours_reach_a_terminal() -> None:
    said = plain(HOSTILE, colours=True)
    assert said.startswith("\x1b[31mred\x1b[0m")
    assert said.endswith("\x1b[0m")
    assert said.count("\x1b") == 3
    assert not set(plain(HOSTILE, colours=False)) & set("\x1b\x07\x08\x9b\u202e")
    assert plain("a\x1b[1mb\x1b[0mc", colours=False) == "abc"


async def test_a_list_can_be_watched(served: Cli) -> None:
    from tests.cli.calling import Shell

    job_id = await served.ended("say_hello", name="x")
    shell = Shell(served.folder, **served.variables)
    process = shell.start("jobs", "list", "--watch", "--every", "100ms", "--json")
    try:
        await until("the list was read", lambda: job_id in (served.folder / "said.log").read_text())
        other = await served.ended("say_hello", name="y")
        await until("the list was read again", lambda: other in (served.folder / "said.log").read_text())
    finally:
        process.send_signal(2)
        code = await asyncio.to_thread(process.wait, 60)
    assert code == 130
    assert "Traceback" not in (served.folder / "said.log").read_text()


async def test_a_search_goes_on_through_short_pages_until_there_are_as_many_lines_as_asked_for(
    served: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.service.logs.service.PATIENCE", timedelta(0))
    job_id = await served.enqueue("send_reminder", user_id=1)
    async with served.hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.log"
            " select 1, definition_id, id, 9, n, clock_timestamp() + n * interval '1 second', 20, 0,"
            "        case n % 4000 when 5 then 'a needle' else 'some hay and more hay' end"
            "   from headrace.job, generate_series(1, 20000) as n where id = $1",
            UUID(job_id),
        )
    assert len(await served.json("logs", "search", "~needle", "--all")) == 5
    assert len(await served.json("logs", "search", "~needle", "--limit", "4")) == 4
