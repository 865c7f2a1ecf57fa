"""`headrace config`: shown, changed, made and checked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from tests.cli.touring import Cli

from headrace import Headrace
from headrace.cli.admin.config_file import template
from headrace.config import keys, load_settings

PASSWORDS = [
    "postgresql://me:hunter2seven@here/jobs",
    "postgresql://me:hunter%402seven@here/jobs",
    "postgresql://me:hunter@/?#2seven@here/jobs",
    "postgresql://:hunter2seven@here/jobs",
    "postgresql://me:hunter2seven@a:1,b:2/jobs?sslmode=require",
    "postgresql:///jobs?host=/a,/b&user=me&password=hunter2seven&port=1",
    "postgresql://here/jobs?PASSWORD=hunter2seven",
    "postgresql://here/jobs?pass%77ord=hunter%262seven",
    "postgresql://here/jobs?sslcert=a&sslpassword=hunter;2seven&sslmode=require",
    "host=here password=hunter2seven user=me",
    "host=here password = 'hunter \\' 2seven' user=me",
    "sslpassword='hunter 2seven",
    "me:hunter2seven@here/jobs",
]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """In an empty folder, with no server anywhere."""
    monkeypatch.chdir(tmp_path)
    return Cli(Headrace(app="nothing"), tmp_path, {})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "headrace.toml"


async def test_every_setting_is_shown_with_its_source(cli: Cli, file: Path) -> None:
    file.write_text('secret_key = "s3cret"\n[database]\nurl = "postgresql://me:hunter2@here/jobs"\n')
    rows = {row["key"]: row for row in await cli.json("config", "show", HEADRACE_SERVER_PORT="81")}
    assert list(rows) == [".".join(path) for path in keys()]
    assert rows["server.port"] == {
        "key": "server.port",
        "value": 81,
        "source": "environment variable HEADRACE_SERVER_PORT",
    }
    assert rows["database.url"]["value"] == "postgresql://me:***@here/jobs"
    assert rows["database.url"]["source"] == f"{file}:3"
    assert rows["secret_key"]["value"] == "***"
    assert rows["jobs.queues"] == {"key": "jobs.queues", "value": ["*"], "source": "default"}
    text = await cli.ok("config", "show", "--changed")
    assert "hunter2" not in text
    assert "s3cret" not in text
    assert len(text.splitlines()) == 3


async def test_the_environment_of_a_command_is_not_shown(cli: Cli, file: Path) -> None:
    file.write_text('[commands.hello]\nargv = ["true"]\nenv = { PASSWORD = "hunter2" }\n')
    text = await cli.ok("config", "show")
    assert "commands.hello" in text
    assert "hunter2" not in text


async def test_one_value_is_for_scripts(cli: Cli, file: Path) -> None:
    file.write_text('[database]\nurl = "postgresql://me:hunter2@here/jobs"\n[jobs]\nqueues = ["a", "b"]\n')
    assert await cli.ok("config", "get", "jobs.queues") == "a,b\n"
    assert await cli.one("config", "get", "jobs.queues") == ["a", "b"]
    assert await cli.ok("config", "get", "database.url") == "postgresql://me:***@here/jobs\n"
    assert await cli.ok("config", "get", "database.url", "--reveal") == "postgresql://me:hunter2@here/jobs\n"
    assert await cli.ok("config", "get", "sql.database_url") == ""
    assert "did you mean server.port?" in await cli.refused("config", "get", "server.prt", code=3)
    assert "jobs is a table: name one of jobs.enabled" in await cli.refused("config", "get", "jobs", code=3)
    assert "commands are tables" in await cli.refused("config", "get", "commands.x.argv")


@pytest.mark.parametrize(
    ("key", "text", "written"),
    [
        ("jobs.worker_concurrency", "8", 8),
        ("jobs.lease_duration_s", "7.5", 7.5),
        ("jobs.lease_duration_s", "60", 60),
        ("jobs.enabled", "off", False),
        ("jobs.queues", "a, b", ["a", "b"]),
        ("data_dir", "here", "here"),
        ("database.url", "postgresql://x", "postgresql://x"),
        ("database.pooler", "transaction", "transaction"),
        ("security.token_max_days", "90", 90),
    ],
)
async def test_a_value_is_set_in_its_own_type(cli: Cli, file: Path, key: str, text: str, written: object) -> None:
    assert await cli.ok("config", "set", key, text)
    found: object = tomllib.loads(file.read_text())
    for part in key.split("."):
        assert isinstance(found, dict)
        found = found[part]
    assert found == written
    assert type(found) is type(written)


async def test_the_rest_of_the_file_stays_as_it_is(cli: Cli, file: Path) -> None:
    before = '# ours\n\n[server] # where\nport  =  81   # not 80\n\n[jobs]\nqueues = [\n  "a", # first\n]\n'
    file.write_text(before)
    file.chmod(0o600)
    await cli.ok("config", "set", "server.port", "82")
    assert file.read_text() == before.replace("81", "82")
    await cli.ok("config", "set", "jobs.worker_concurrency", "8")
    assert file.read_text() == before.replace("81", "82") + "worker_concurrency = 8\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in file.parent.iterdir()] == ["headrace.toml"]


@pytest.mark.parametrize(("before", "after"), [(None, 0o600), (0o644, 0o600), (0o666, 0o600), (0o400, 0o400)])
async def test_only_the_owner_reads_a_file_that_was_set(cli: Cli, file: Path, before: int | None, after: int) -> None:
    if before is not None:
        file.touch()
        file.chmod(before)
    await cli.ok("config", "set", "smtp.password", "hunter2")
    assert file.stat().st_mode & 0o777 == after
    file.unlink()
    await cli.ok("config", "init")
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("value", PASSWORDS)
async def test_no_form_of_a_password_is_shown(cli: Cli, value: str) -> None:
    shown = await cli("config", "show", HEADRACE_DATABASE_URL=value, HEADRACE_SERVER_PUBLIC_URL=value)
    got = await cli("config", "get", "database.url", HEADRACE_DATABASE_URL=value)
    for said in (shown, got):
        assert "***" in said.out
        assert "hunter" not in said.out + said.err
        assert "2seven" not in said.out + said.err


async def test_what_is_no_password_is_shown(cli: Cli) -> None:
    for value in ("postgresql://me@here:5432/jobs?sslmode=require&application_name=a", "host=here user=me dbname=jobs"):
        assert await cli.ok("config", "get", "database.url", HEADRACE_DATABASE_URL=value) == f"{value}\n"


async def test_what_is_not_allowed_is_not_written(cli: Cli, file: Path) -> None:
    refused = await cli.refused("config", "set", "jobs.worker_concurrency", "0")
    assert "jobs.worker_concurrency = '0': " in refused
    assert "(allowed: an integer, 1 to 1024)" in refused
    assert "allowed: true or false" in await cli.refused("config", "set", "jobs.enabled", "perhaps")
    assert "did you mean jobs.worker_concurrency?" in await cli.refused(
        "config", "set", "jobs.worker_concurency", "3", code=3
    )
    assert not file.exists()
    file.write_text("server = 5\n")
    assert "server is not a table" in await cli.refused("config", "set", "server.port", "5")
    file.write_text("[server\n")
    assert "not valid TOML" in await cli.refused("config", "set", "server.port", "5")


async def test_a_variable_that_wins_is_mentioned(cli: Cli) -> None:
    said = await cli("config", "set", "server.port", "82", HEADRACE_SERVER_PORT="83")
    assert said.code == 0
    assert "HEADRACE_SERVER_PORT is set in the environment and overrides the file" in said.err


async def test_a_template_changes_nothing_and_has_everything(cli: Cli, file: Path) -> None:
    assert str(file.name) in await cli.ok("config", "init")
    assert load_settings(file=file, environ={}) == load_settings(environ={"HEADRACE_CONFIG": "/dev/null"})
    all_of_it = re.sub(r"(?m)^#(?=[a-z\[])", "", file.read_text())
    given = tomllib.loads(all_of_it)
    assert all(path[-1] in (given[path[0]] if len(path) > 1 else given) for path in keys())
    file.write_text(all_of_it)
    assert load_settings(file=file, environ={}).commands["say-hello"].argv == ("echo", "hello {name}")
    assert "exists: choose another name" in await cli.refused("config", "init", code=1)
    await cli.ok("config", "init", "--force")
    assert file.read_text() == template()
    assert "cannot be written" in await cli.refused("config", "init", "no/such/folder.toml")


async def test_all_problems_are_told_at_once(cli: Cli, file: Path) -> None:
    assert "the configuration is valid" in await cli.ok("config", "check")
    file.write_text("[jobs]\nworker_concurrency = 0\nqueue = 1\n")
    said = await cli("config", "check", HEADRACE_SERVER_PORT="0")
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 3
    assert f"jobs.worker_concurrency = 0 ({file}:2): " in said.err
    assert f"jobs.queue ({file}:3): unknown key; did you mean jobs.queues?" in said.err
    assert "server.port = '0' (environment variable HEADRACE_SERVER_PORT): " in said.err


async def test_another_file_can_be_named_everywhere(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[jobs]\nworker_concurrency = 0\n")
    for words in (
        ("config", "check"),
        ("config", "show"),
        ("config", "get", "server.port"),
        ("queues", "list"),
        ("doctor",),
        ("db", "status"),
        ("commands", "check"),
        ("worker",),
        ("serve",),
        ("dev",),
    ):
        assert f"({other}:2)" in await cli.refused(*words, "--config", str(other)), words
    assert "cannot be read" in await cli.refused("config", "check", "--config", "nowhere.toml")
    await cli.ok("config", "set", "server.port", "82", "--config", str(other))
