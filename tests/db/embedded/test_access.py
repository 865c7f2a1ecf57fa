"""Who may log in to the embedded server: the kernel says who asks, and no other user of the machine may."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.cli.calling import Shell
from tests.db.embedded.owners import cluster_of, run_sql

from headrace.config import CommandSettings, Settings
from headrace.db.embedded import EmbeddedServer, account
from headrace.db.embedded.account import FREE_IDS, account_for, name_of
from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.layout import PORT
from headrace.db.embedded.probe import Refused, ask
from headrace.db.embedded.roles import SQL_ROLE
from headrace.errors import ConfigError, EmbeddedServerError
from headrace.worker.process.base import read_commands

IS_ROOT = os.geteuid() == 0


def strangers(*known: int) -> list[int]:
    """Other users of this machine, whom root may become."""
    others = [entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid not in {0, *known}]
    return others[:3] if IS_ROOT else []


def as_user(uid: int, asked: Callable[[], object]) -> str:
    """What another user gets, in a process that is a fork of this one."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            answer = str(asked())
        except BaseException as error:  # all that it has to say
            answer = f"{type(error).__name__}: {error}"
        os.write(writes, answer.encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return answer


def test_no_other_user_of_the_machine_may_log_in_even_where_the_socket_is_open_to_all(
    open_data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EmbeddedServer.start(open_data_dir) as server:
        folder = Path(parse_qs(urlsplit(server.url).query)["host"][0])
        for place, mode in ((folder.parent, 0o755), (folder, 0o755), (folder / f".s.PGSQL.{PORT}", 0o777)):
            place.chmod(mode)
        owner = cluster_of(open_data_dir).stat().st_uid
        for stranger in strangers(owner):
            for role in (ROLE, SQL_ROLE, "postgres"):
                monkeypatch.setattr("headrace.db.embedded.probe.ROLE", role)
                answer = as_user(stranger, lambda: ask(folder, "postgres", "select 1"))
                assert answer.startswith(Refused.__name__), (stranger, role, answer)
                assert "eer authentication failed" in answer

        ways = run_sql(server.url, "select distinct type, auth_method, options::text from pg_hba_file_rules")
        assert ways == [("local", "peer", "{map=headrace}")]
        users = {row[0] for row in run_sql(server.url, "select sys_name from pg_ident_file_mappings")}
        assert users == {name for uid in (0, os.geteuid(), owner) if (name := name_of(uid))}


def test_the_server_of_root_never_runs_as_nobody_where_no_better_user_exists(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "CANDIDATES", ("no-such-user",))
    with EmbeddedServer.start(data_dir) as server:
        assert run_sql(server.url, "select current_user") == [(ROLE,)]
        owner = cluster_of(data_dir).stat()
        assert {path.stat().st_uid for path in cluster_of(data_dir).rglob("*")} == {owner.st_uid}

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    lent = account_for(data_dir.with_name("none"))
    assert lent.uid in FREE_IDS
    assert name_of(lent.uid) is None
    assert owner.st_uid == (lent.uid if IS_ROOT else os.getuid())


def test_a_folder_of_nobody_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = tmp_path / "postgres"
    cluster.mkdir()
    (cluster / "PG_VERSION").write_text("18\n")
    stranger = 65_534 if IS_ROOT else os.getuid()
    os.chown(cluster, stranger, -1)
    monkeypatch.setattr(account, "NOBODY", {stranger})
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    with pytest.raises(EmbeddedServerError, match=rf"belongs to the user nobody.*: chown -R \d+:\d+ {cluster}\."):
        account_for(cluster)


def test_a_user_whose_name_the_system_does_not_know_is_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: next(uid for uid in FREE_IDS if name_of(uid) is None))
    with pytest.raises(EmbeddedServerError, match=r"has no name on this system.* Add the user to /etc/passwd"):
        account_for(tmp_path / "postgres")


@pytest.fixture
def others_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, str]:
    """A data folder whose server runs as another user than the worker, and that user's name."""
    cluster = tmp_path / ".headrace" / "postgres"
    cluster.mkdir(parents=True)
    other = next(iter(strangers()), os.getuid())
    os.chown(cluster, other, -1)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return cluster.parent, pwd.getpwuid(other).pw_name


def commands(user: str, argv: Sequence[str] = ("/bin/true",)) -> dict[str, CommandSettings]:
    """One command, of a user."""
    return {"steal": CommandSettings(argv=tuple(argv), user=user)}


def test_a_worker_does_not_start_with_a_command_that_runs_as_the_server_does(others_folder: tuple[Path, str]) -> None:
    data_dir, user = others_folder
    with pytest.raises(ConfigError, match=f"commands.steal cannot run here: the embedded PostgreSQL runs as {user}, "):
        read_commands(Settings(data_dir=data_dir, commands=commands(user)), {})
    assert read_commands(Settings(data_dir=data_dir, commands=commands("root")), {})


def test_a_check_of_commands_names_one_that_runs_as_the_server_does(others_folder: tuple[Path, str]) -> None:
    data_dir, user = others_folder
    (data_dir.parent / "headrace.toml").write_text(f'[commands.steal]\nargv = ["/bin/true"]\nuser = "{user}"\n')
    if not IS_ROOT:  # of a worker's own user nothing need be kept: the test above has the rule
        return
    checked = Shell(data_dir.parent).call("commands", "check")
    assert checked.code == 1
    assert f"the embedded PostgreSQL runs as {user}, so the command could read and change the whole" in checked.err
