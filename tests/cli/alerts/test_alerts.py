"""`headrace alerts`, over a database and over a server."""

from __future__ import annotations

import asyncio
import shlex

import pytest
from scripts.cli_reference import commands, example_of
from tests.cli.alerting import know_sending, raise_alert
from tests.cli.touring import Cli
from tests.waiting import until


async def test_rules_are_made_changed_and_removed_with_targets_by_name(cli: Cli) -> None:
    assert (
        await cli.ok("alerts", "targets", "create", "people", "email", "ann@example.com") == "created target people\n"
    )
    await cli.ok("alerts", "targets", "create", "boss", "email", "bob@example.com")
    settings = ("--set", "n=5", "--set", "definition=flaky", "--target", "people", "--repeat", "1h")
    made = await cli.one("alerts", "rules", "create", "rows", "failures_in_a_row", *settings)
    assert made["parameters"] == {"definition": "flaky", "n": 5}
    assert (made["repeat_seconds"], made["tenant"], len(made["targets"])) == (3600, None, 1)
    more = ("--escalate-after", "3", "--escalate-to", "boss", "--quiet", "22:00-07:00", "--timezone", "Europe/Berlin")
    assert await cli.ok("alerts", "rules", "update", "rows", *more) == "changed rule rows\n"
    shown = await cli.ok("alerts", "rules", "show", "rows")
    for words in ("n=5, definition=flaky", "to boss with repeat 3", "22:00-07:00 Europe/Berlin", "every 1h", "people"):
        assert words in shown
    cleared = await cli.one(
        *("alerts", "rules", "update", "rows", "--quiet", "none", "--escalate-after", "none", "--escalate-to", "none")
    )
    assert (cleared["quiet_from"], cleared["escalate_to"]) == (None, None)
    assert "rule rows is off" in await cli.ok("alerts", "rules", "disable", "rows")
    assert "off" in await cli.ok("alerts", "rules", "list")
    assert "rule rows is on" in await cli.ok("alerts", "rules", "enable", made["id"][:8])
    assert "rules use this target: rows" in await cli.refused("alerts", "targets", "delete", "people", "--yes", code=1)
    assert "There is no terminal to answer" in await cli.refused("alerts", "rules", "delete", "rows")
    assert await cli.ok("alerts", "rules", "delete", "rows", "--yes") == "deleted rule rows\n"
    assert await cli.ok("alerts", "targets", "delete", "people", "--yes") == "deleted target people\n"


async def test_alerts_are_listed_shown_acknowledged_and_closed(cli: Cli) -> None:
    assert "no open alerts" in await cli.ok("alerts", "list")
    await cli.ok("alerts", "rules", "create", "died", "job_died")
    alert_id = await raise_alert(cli)
    assert "2 jobs of flaky died" in await cli.ok("alerts", "list", "--rule", "died")
    shown = await cli.ok("alerts", "show", alert_id[:8])
    assert "Boom: it broke" in shown
    assert "died (job_died)" in shown
    assert await cli.ok("alerts", "ack", alert_id[:8]) == "acknowledged: 2 jobs of flaky died\n"
    assert "acknowledged" in await cli.ok("alerts", "list")
    assert await cli.ok("alerts", "close", alert_id) == "closed: 2 jobs of flaky died\n"
    assert "already closed" in await cli.refused("alerts", "close", alert_id, code=1)
    assert await cli.json("alerts", "list") == []
    assert [one["id"] for one in await cli.json("alerts", "list", "--state", "closed")] == [alert_id]


async def test_with_a_tenant_they_are_that_tenants(served: Cli) -> None:
    await served.ok("tenants", "create", "acme")
    mine = await served.one("alerts", "rules", "create", "died", "job_died", "--tenant", "acme")
    assert mine["tenant"] == "acme"
    await served.ok("alerts", "rules", "create", "died", "job_died")
    assert len(await served.json("alerts", "rules", "list")) == 2
    assert len(await served.json("alerts", "rules", "list", "--tenant", "acme")) == 1
    assert "2 alert rules have the name 'died'" in await served.refused("alerts", "rules", "show", "died", code=3)


async def test_a_test_notice_that_nobody_sends_is_on_its_way(served: Cli) -> None:
    await served.ok("alerts", "targets", "create", "people", "email", "ann@example.com")
    complaint = await served.refused("alerts", "test", "people", code=1)
    assert "no worker has registered the job that sends notices" in complaint
    await know_sending(served)
    said = await served.ok("alerts", "test", "people", "--wait", "0")
    assert said.startswith("a test notice to people was enqueued: headrace alerts deliveries --notice ")
    assert "nothing was sent yet" in await served.ok("alerts", "deliveries")
    async with served.hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.alert_delivery (notice_id, target, at, seconds, status_code, error)"
            " select id, 'people', now(), 1, 550, 'no such user' from headrace.alert_notice"
        )
    assert "no such user" in await served.ok("alerts", "deliveries")


@pytest.mark.parametrize(
    ("error", "code", "words"), [(None, 0, "reached people"), ("550 no", 1, "did not reach people")]
)
async def test_whoever_sends_a_test_notice_hears_what_came_of_it(
    served: Cli, error: str | None, code: int, words: str
) -> None:
    await know_sending(served)
    await served.ok("alerts", "targets", "create", "people", "email", "ann@example.com")
    calling = asyncio.create_task(served("alerts", "test", "people", "--wait", "1m"))

    async def delivered() -> bool:
        async with served.hr.database.pool.acquire() as conn:
            return (
                await conn.execute(
                    "insert into headrace.alert_delivery (notice_id, target, at, seconds, error)"
                    " select id, 'people', now(), 1, $1 from headrace.alert_notice",
                    error,
                )
                != "INSERT 0 0"
            )

    await until("somebody has sent it", delivered)
    said = await calling
    assert said.code == code
    assert words in said.out + said.err


async def test_a_bad_word_about_alerts_is_explained(served: Cli) -> None:
    for words, code, complaint in (
        (("rules", "create", "x", "fire"), 2, "job_died"),
        (("rules", "create", "x", "job_died", "--set", "n"), 2, "--set is name=value"),
        (("rules", "create", "x", "job_died", "--set", "n=3"), 2, "job_died has no parameter n"),
        (("rules", "create", "x", "job_died", "--quiet", "night"), 2, "--quiet is a start and an end"),
        (("rules", "create", "x", "job_died", "--repeat", "often"), 2, "--repeat is a length of time"),
        (("rules", "create", "x", "job_died", "--target", "nobody"), 3, "unknown alert target 'nobody'"),
        (("rules", "update", "nobody", "--repeat", "1h"), 3, "unknown alert rule 'nobody'"),
        (("targets", "create", "x", "webhook", "http://127.0.0.1/"), 2, "notices are not sent to 127.0.0.1"),
        (("targets", "create", "x", "webhook", "https://example.com/"), 1, "HEADRACE_SECRET_KEY"),
        (("show", "0198c0de"), 3, "unknown alert '0198c0de'"),
        (("test", "nobody"), 3, "unknown alert target 'nobody'"),
    ):
        assert complaint in await served.refused("alerts", *words, code=code), words


async def test_the_examples_work(served: Cli) -> None:
    """In this order, for some need what others made."""
    await know_sending(served)
    made = ("targets create", "rules create")
    every = {words: example_of(command) for words, command in commands() if words.startswith("alerts ")}
    last = [words for words in every if words.endswith("delete")]
    order = [f"alerts {words}" for words in made]
    order += [words for words in every if words not in order + last] + sorted(last)
    for words in order:
        example = shlex.split(every[words] or "")[1:]
        if "0198c0de" in example:
            await served("alerts", "close", (await served.json("alerts", "list") or [{"id": "0"}])[0]["id"])
            example = [await raise_alert(served) if word == "0198c0de" else word for word in example]
        said = await served(*example)
        assert said.code == 0, (example, said)
