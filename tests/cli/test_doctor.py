"""`headrace doctor`: what it looks at, over a database and over a server."""

from __future__ import annotations

from pathlib import Path

from tests.cli.touring import Cli, touring

CHECKS = [
    "server",
    "settings",
    "session",
    "clock",
    "pooler",
    "notifications",
    "disk",
    "snapshots",
    "migrations",
    "waiting",
    "triggers",
    "partitions",
    "detaches",
    "bloat",
    "tenant role",
    "database roles",
    "SQL role",
    "secret key",
    "workers",
    "built-in jobs",
    "alerts",
]


async def test_all_is_well_beside_a_worker(database_url: str, tmp_path: Path) -> None:
    async with touring("database", database_url, tmp_path) as cli:
        findings = await cli.json("doctor")
        assert [finding["check"] for finding in findings] == CHECKS
        assert [finding for finding in findings if finding["state"] == "fail"] == []
        assert all((finding["do"] is None) == (finding["state"] == "ok") for finding in findings)
        text = await cli.ok("doctor")
        assert "notifications  a NOTIFY arrived after" in text
        assert text.splitlines()[-1].endswith(" 0 failed")


async def test_what_fails_is_told_with_what_to_do_and_exits_1(
    database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    async with touring("database", database_url, tmp_path) as cli:
        said = await cli("doctor", HEADRACE_DATABASE_URL=empty_database_url)
        assert (said.code, said.err) == (1, "")
        assert "are missing" in said.out
        assert "→ headrace db migrate" in said.out
        assert "partitions" not in said.out
        said = await cli("doctor", "--json", HEADRACE_DATABASE_URL="postgresql://x@127.0.0.1:1/y")
        assert said.code == 1
        assert '"check": "database", "state": "fail"' in said.out
        said = await cli("doctor", HEADRACE_DATABASE_POOLER="transaction")
        assert 'database.pooler = "transaction" is not needed' in said.out
        assert said.code == 0


async def test_a_server_is_asked_for_what_it_says_of_itself(served: Cli) -> None:
    text = await served.ok("doctor")
    assert text.startswith("ok   server         ready; live workers: 1")
    assert "The other checks need the database" in text
    assert (await served.one("doctor"))["state"] == "ok"
    await served.refused("doctor", "--url", "http://127.0.0.1:1", code=5)
