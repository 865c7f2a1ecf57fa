"""`headrace definitions`: what can be run."""

from __future__ import annotations

import pytest
from tests.cli.touring import Cli

from headrace.service import Service


async def test_definitions_are_listed_and_shown(served: Cli) -> None:
    keys = [one["key"] for one in await served.json("definitions", "list")]
    assert keys == sorted(keys)
    assert "say_hello" in keys
    assert "Succeeds at once" in await served.ok("definitions", "list")
    shown = await served.one("definitions", "show", "say_hello")
    assert shown["payload_schema"]["properties"]["name"]["type"] == "string"
    text = await served.ok("definitions", "show", "make_report")
    assert "pages: integer, optional" in text
    assert "last 7 days" in text
    assert "unknown definition" in await served.refused("definitions", "show", "a/b", code=3)


async def test_settings_are_changed(served: Cli) -> None:
    assert await served.ok("definitions", "disable", "say_hello") == "say_hello  enabled no\n"
    assert await served.ok("definitions", "enable", "say_hello") == "say_hello  enabled yes\n"
    said = await served.ok("definitions", "set", "say_hello", "priority=10", "timeout=1m", "max-attempts=7")
    assert said == "say_hello  priority 10, timeout_seconds 60, max_attempts 7\n"
    changed = await served.one("definitions", "set", "say_hello", "timeout=none", "retry_base_seconds=2s")
    assert (changed["timeout_seconds"], changed["retry_base_seconds"], changed["priority"]) == (None, 2, 10)
    assert "priority: 10" in await served.ok("definitions", "show", "say_hello")
    assert await served.ok("definitions", "set", "say_hello", "tenants=acme, globex") == (
        "say_hello  tenants acme, globex\n"
    )
    assert "acme, globex" in await served.ok("definitions", "show", "say_hello")
    assert (await served.one("definitions", "set", "say_hello", "tenants=none"))["tenants"] is None


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("priority", "NAME=VALUE"),
        ("priority=high", "priority is a whole number from 0 to 1,000"),
        ("tenants=", "tenants is 1 to 1,000 names of tenants"),
        ("enabled=perhaps", "enabled is true or false"),
        ("timeout=long", "timeout is a length of time"),
        ("priorty=1", "did you mean priority?"),
        ("colour=red", "known settings: queue, priority"),
    ],
)
async def test_a_bad_setting_is_told_before_anything_is_sent(nowhere: Cli, setting: str, complaint: str) -> None:
    assert complaint in await nowhere.refused("definitions", "set", "say_hello", setting)


async def test_a_tenant_sees_what_it_may_run_and_changes_nothing(served: Cli) -> None:
    token = (await Service(served.hr).tokens.create("t", "tenant_viewer", tenant="default")).token
    assert "say_hello" in await served.ok("definitions", "list", "--token", token)
    assert "name: string" in await served.ok("definitions", "show", "say_hello", HEADRACE_TOKEN=token)
    await served.refused("definitions", "disable", "say_hello", "--token", token, code=4)
    await served.refused("jobs", "enqueue", "say_hello", "-p", '{"name": "x"}', "--token", token, code=4)
    assert "needs a valid token" in await served.refused("jobs", "list", "--token", "hr_bad", code=4)
