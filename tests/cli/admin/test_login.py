"""`headrace login` and `logout`: a token that is checked and kept."""

from __future__ import annotations

import stat
from pathlib import Path

from tests.cli.touring import Cli


async def test_a_token_is_kept_for_its_owner_alone(served: Cli, tmp_path: Path) -> None:
    url, token = served.variables["HEADRACE_URL"], served.variables["HEADRACE_TOKEN"]
    served.variables = {"XDG_CONFIG_HOME": str(tmp_path)}
    await served.refused("queues", "list", "--url", url, code=4)
    said = await served.ok("login", url, stdin=f"{token}\n")
    file = tmp_path / "headrace" / "logins.json"
    assert str(file) in said
    assert token not in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    await served.ok("queues", "list", "--url", url)
    await served.ok("queues", "list", HEADRACE_URL=url + "/")
    assert await served.one("logout", url) == {"url": url}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    await served.refused("queues", "list", "--url", url, code=4)
    assert f"no token is stored for {url}" in await served.refused("logout", url, code=3)


async def test_a_token_that_is_no_good_is_not_kept(served: Cli, tmp_path: Path) -> None:
    url = served.variables["HEADRACE_URL"]
    served.variables = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert "refuses this token" in await served.refused("login", url, "--token", "hr_x", code=4)
    assert "the token is missing" in await served.refused("login", url, stdin="\n")
    assert "cannot reach" in await served.refused("login", "http://127.0.0.1:1", "--token", "hr_x", code=5)
    assert "--url is the address" in await served.refused("login", "localhost", "--token", "hr_x")
    assert not (tmp_path / "headrace").exists()


async def test_a_workers_token_is_good_though_it_may_not_look_around(served: Cli, tmp_path: Path) -> None:
    made = await served.one("tokens", "create", "w", "--role", "worker")
    url = served.variables["HEADRACE_URL"]
    found = await served.one("login", url, "--token", made["token"], XDG_CONFIG_HOME=str(tmp_path))
    assert found == {"url": url, "file": str(tmp_path / "headrace" / "logins.json")}
