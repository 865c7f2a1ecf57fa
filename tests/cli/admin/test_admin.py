"""Tenants, tokens, the audit, workers, queues and statistics, over a database and over a server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.cli.touring import Cli

from headrace.service.tokens.service import find_principal


async def test_tenants_are_made_listed_and_changed(cli: Cli) -> None:
    made = ("tenants", "create", "acme", "--title", "Acme Ltd", "--max-queued", "10000")
    assert await cli.ok(*made) == "created tenant acme\n"
    assert "already" in await cli.refused(*made, code=1)
    assert [one["name"] for one in await cli.json("tenants", "list")] == ["acme", "default"]
    assert "Acme Ltd" in await cli.ok("tenants", "list")
    assert len(await cli.json("tenants", "list", "--limit", "1")) == 1
    place = ("--queues", "mail, bulk", "--most-urgent-priority", "50")
    changed = await cli.one("tenants", "update", "acme", "--max-queued", "none", "--requests-per-minute", "60", *place)
    limits = {"max_queued": None, "max_payload_bytes": None, "requests_per_minute": 60, "max_running": None}
    assert changed["limits"] == {**limits, "queues": ["mail", "bulk"], "most_urgent_priority": 50}
    shown = await cli.ok("tenants", "show", "acme")
    own = "the definition's own"
    for line in ("requests a minute     60", f"queues                {own}, mail, bulk", "most urgent priority  50"):
        assert line in shown
    unset = await cli.one("tenants", "update", "acme", "--queues", "none", "--most-urgent-priority", "none")
    assert unset["limits"] == {**limits, "queues": [], "most_urgent_priority": None}
    assert (await cli.one("tenants", "show", "acme"))["title"] == "Acme Ltd"


async def test_a_bad_word_about_tenants_is_explained(served: Cli) -> None:
    for words, code, complaint in (
        (("show", "nobody"), 3, 'unknown tenant "nobody"'),
        (("update", "nobody", "--title", "x"), 3, 'unknown tenant "nobody"'),
        (("update", "default"), 2, "nothing to change: give --title"),
        (("update", "default", "--max-queued", "many"), 2, "--max-queued is a whole number, or none"),
        (("update", "default", "--queues", "headrace"), 2, 'The queue "headrace" is for the jobs of Headrace itself'),
        (("create", "No Name!"), 2, "name"),
        (("list", "--limit", "0"), 2, "--limit"),
        (("create",), 2, "NAME"),
    ):
        assert complaint in await served.refused("tenants", *words, code=code)


async def test_a_token_is_shown_once_and_can_be_revoked_by_name(cli: Cli) -> None:
    said = await cli("tokens", "create", "ci", "--role", "worker", "--queues", "a, b", "--expires", "30d")
    assert said.code == 0
    token = said.out.strip()
    assert token.startswith("hr_")
    assert "The token is shown only now" in said.err
    (found,) = [one for one in await cli.json("tokens", "list") if one["name"] == "ci"]
    assert token not in str(found)
    assert (found["role"], found["queues"]) == ("worker", ["a", "b"])
    ends = datetime.fromisoformat(found["expires_at"]) - datetime.now(UTC)
    assert timedelta(days=29) < ends <= timedelta(days=30)
    assert "ci" in await cli.ok("tokens", "list", "--good")
    async with cli.hr.database.pool.acquire() as conn:
        assert await find_principal(conn, token) is not None
        assert await cli.ok("tokens", "revoke", "ci", "--yes") == f"revoked token ci ({found['id']})\n"
        assert await find_principal(conn, token) is None
    assert "ci" not in [one["name"] for one in await cli.json("tokens", "list", "--good")]
    assert "unknown token 'ci'" in await cli.refused("tokens", "revoke", "ci", "--yes", code=3)


async def test_a_tenants_token_and_one_by_the_beginning_of_its_id(served: Cli) -> None:
    made = await served.one("tokens", "create", "x", "--role", "tenant_viewer", "--tenant", "default")
    assert (made["tenant"], made["token"][:3]) == ("default", "hr_")
    await served.one("tokens", "create", "x", "--role", "worker")
    assert "2 tokens match 'x'" in await served.refused("tokens", "revoke", "x", "--yes")
    assert "There is no terminal to answer" in await served.refused("tokens", "revoke", made["id"])
    revoked = await served.one("tokens", "revoke", made["id"][:8], "--yes")
    assert revoked["id"] == made["id"]
    assert revoked["revoked_at"] is not None


async def test_a_token_that_cannot_be_is_explained(served: Cli) -> None:
    for words, complaint in (
        (("--role", "king"), "'--role'"),
        ((), "--role"),
        (("--role", "tenant_admin"), "name the tenant with --tenant"),
        (("--role", "worker", "--expires", "30"), "--expires needs a unit, for example 30d"),
        (("--role", "worker", "--expires", "soon"), "--expires is a time"),
        (("--role", "worker", "--expires", "2001-01-01"), "expires_at lies in the past"),
        (("--role", "super_admin", "--queues", "a"), "only worker tokens are bound to queues"),
        (("--role", "worker", "--queues", ","), "--queues has names"),
    ):
        assert complaint in await served.refused("tokens", "create", "x", *words)


async def test_a_token_may_not_live_longer_than_is_allowed(cli: Cli) -> None:
    cli.hr.configure({"security.token_max_days": 7})
    assert cli.hr.settings.security.token_max_days == 7
    cli.variables = {**cli.variables, "HEADRACE_SECURITY_TOKEN_MAX_DAYS": "7"}
    for words in ((), ("--expires", "8d")):
        refused = await cli.refused("tokens", "create", "x", "--role", "worker", *words)
        assert "a token lives for 7 days at most (security.token_max_days)" in refused
    assert (await cli("tokens", "create", "x", "--role", "worker", "--expires", "7d")).code == 0


async def test_the_audit_says_who_changed_what(cli: Cli) -> None:
    await cli.ok("tenants", "create", "acme")
    await cli.ok("queues", "pause", "default", "--note", "mail is down")
    newest, *_ = await cli.json("audit", "list")
    assert (newest["action"], newest["target"]) == ("queues.pause", "default")
    (one,) = await cli.json("audit", "list", "--target", "acme", "--since", "1h", "--who", newest["who"])
    assert one["action"] == "tenants.change"
    assert await cli.json("audit", "list", "--until", "1h") == []
    text = await cli.ok("audit", "list", "--action", "queues.pause", "--limit", "1")
    assert "mail is down" in text
    assert "--since is how long ago" in await cli.refused("audit", "list", "--since", "yesterday")
    await cli.refused("audit", "list", "--tenant", "nobody", code=3)


async def test_workers_are_listed_shown_and_drained(cli: Cli) -> None:
    (worker,) = await cli.json("workers", "list")
    text = await cli.ok("workers", "list", "--all")
    assert worker["name"] in text
    assert "live" in text
    assert f"0/{worker['concurrency']}" in text
    assert "say_hello" in await cli.ok("workers", "show", str(worker["id"]))
    assert (await cli.one("workers", "show", worker["name"]))["id"] == worker["id"]
    assert (await cli.one("workers", "show", worker["name"][:3]))["id"] == worker["id"]
    assert await cli.json("workers", "list", "--state", "lost") == []
    assert "unknown live worker 'nobody'" in await cli.refused("workers", "show", "nobody", code=3)
    assert "unknown worker" in await cli.refused("workers", "show", "999999", code=3)
    assert "--state" in await cli.refused("workers", "list", "--state", "asleep")
    assert (await cli.one("workers", "drain", worker["name"]))["draining"] is True


async def test_queues_are_paused_and_resumed(cli: Cli) -> None:
    assert "default" in [one["queue"] for one in await cli.json("queues", "list")]
    said = await cli.ok("queues", "pause", "default", "--note", "mail is down", "--until", "2h")
    assert said.startswith("queue default is paused until ")
    assert said.endswith("(in 2h)\n")
    paused = await cli.one("queues", "show", "default")
    assert (paused["paused"], paused["pause"]["note"]) == (True, "mail is down")
    assert "mail is down" in await cli.ok("queues", "list")
    assert "paused by" in await cli.ok("queues", "show", "default")
    assert (await cli.one("queues", "resume", "default"))["paused"] is False
    assert await cli.ok("queues", "resume", "default") == "queue default is resumed\n"
    assert "--until is" in await cli.refused("queues", "pause", "default", "--until", "later")
    await cli.refused("queues", "show", "a/b?c", code=3)


async def test_statistics_say_how_it_goes(cli: Cli) -> None:
    await cli.ended("say_hello", name="x")
    text = await cli.ok("stats", "--window", "1h")
    for word in ("queued", "came in", "ended", "waited"):
        assert word in text
    found = await cli.one("stats", "--top", "3")
    assert found["window"] == "24h"
    assert set(found["total"]) >= {"enqueued", "succeeded", "failed"}
    assert len(found["busiest"]) <= 3
    assert "--window" in await cli.refused("stats", "--window", "2h")


async def test_what_a_token_may_not_see_is_4(served: Cli) -> None:
    said = await served("tokens", "create", "x", "--role", "tenant_viewer", "--tenant", "default")
    for words in (("tokens", "list"), ("tenants", "list"), ("audit", "list"), ("workers", "list"), ("queues", "list")):
        await served.refused(*words, code=4, HEADRACE_TOKEN=said.out.strip())
    await served.refused("stats", code=4, HEADRACE_TOKEN="hr_nothing")
