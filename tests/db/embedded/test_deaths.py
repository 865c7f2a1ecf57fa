"""Whoever is killed, the next start works and nothing runs for ever."""

import os
import signal
from pathlib import Path

import pytest
from tests.db.embedded.conftest import OwnerFactory
from tests.db.embedded.owners import cluster_of, postmaster, run_sql, running
from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer, launch
from headrace.db.embedded.account import Account
from headrace.db.embedded.binaries import Install
from headrace.db.embedded.initialise import UNFINISHED
from headrace.db.embedded.layout import Layout, start_lock
from headrace.db.embedded.locks import FileLock
from headrace.db.embedded.probe import Answer, probe


def test_when_an_owner_is_killed_the_others_go_on(data_dir: Path, own: OwnerFactory) -> None:
    starter, other = own().started(), own().started()

    starter.kill()
    assert run_sql(other.url, "select 1") == [(1,)]

    other.stop()
    wait_until("the last one out stopped the server", lambda: not running(cluster_of(data_dir)))


def test_when_all_owners_are_killed_the_server_stops(data_dir: Path, own: OwnerFactory) -> None:
    owners = [own().started(), own().started()]
    for owner in owners:
        owner.kill()

    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))


def test_when_the_supervisor_is_killed_the_last_one_out_still_stops_the_server(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        [supervisor] = running(cluster_of(data_dir), "supervise.py")
        os.kill(supervisor, signal.SIGKILL)
        assert run_sql(server.url, "select 1") == [(1,)]

    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))


def test_the_server_outlives_ctrl_c_in_the_terminal_of_its_owner(data_dir: Path, own: OwnerFactory) -> None:
    owner = own().started()
    before = postmaster(cluster_of(data_dir))

    os.killpg(owner.process.pid, signal.SIGINT)
    owner.hear("interrupted")

    assert run_sql(owner.url, "select 1") == [(1,)]
    assert postmaster(cluster_of(data_dir)) == before


def test_the_server_holds_no_pipe_of_its_owner(own: OwnerFactory) -> None:
    starter, other = own().started(), own().started()

    starter.kill()

    assert starter.process.stdout
    assert starter.process.stdout.read() == ""  # would wait for ever if the server held the other end
    assert run_sql(other.url, "select 1") == [(1,)]


def test_after_a_killed_server_the_next_start_of_the_same_owner_recovers_it(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "create table kept as select 42 as number")
        os.kill(postmaster(cluster_of(data_dir)), signal.SIGKILL)

        with EmbeddedServer.start(data_dir) as again:
            assert not again.sole_owner
            assert run_sql(server.url, "select number from kept") == [(42,)]


def test_whoever_shares_a_killed_server_starts_it_again_where_it_was(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "create table kept as select 42 as number")
        assert (server.is_down(), server.revive()) == (False, False)
        os.kill(postmaster(cluster_of(data_dir)), signal.SIGKILL)
        wait_until("all its processes are gone", server.is_down)

        assert server.revive()
        assert not server.is_down()
        assert run_sql(server.url, "select number from kept") == [(42,)]
    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))
    assert not server.is_down(), "what nobody shares any more is nobody's to start"


def test_after_a_killed_server_another_process_restarts_it(data_dir: Path, own: OwnerFactory) -> None:
    first = own().started()
    killed = postmaster(cluster_of(data_dir))
    os.kill(killed, signal.SIGKILL)

    own().started()

    assert run_sql(first.url, "select 1") == [(1,)]
    wait_until("the old supervisor is gone", lambda: len(running(cluster_of(data_dir), "supervise.py")) == 1)
    assert postmaster(cluster_of(data_dir)) != killed


def test_a_server_killed_in_the_middle_of_a_start_is_started_again(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_up = launch._bring_up
    killed: list[int] = []

    def bring_up_and_kill_once(layout: Layout, install: Install, account: Account) -> None:
        bring_up(layout, install, account)
        if not killed:
            killed.append(postmaster(layout.cluster))
            os.kill(killed[0], signal.SIGKILL)
            wait_until("nobody answers", lambda: probe(layout.socket_dir, layout.cluster) is Answer.SILENT)

    monkeypatch.setattr(launch, "_bring_up", bring_up_and_kill_once)
    with EmbeddedServer.start(data_dir) as server:
        assert killed
        assert run_sql(server.url, "select 1") == [(1,)]


def test_a_start_waits_for_the_backends_of_a_killed_server(data_dir: Path, own: OwnerFactory) -> None:
    first = own().started()
    [[backend]] = run_sql(first.url, "select pid from pg_stat_activity where backend_type = 'checkpointer'")
    assert isinstance(backend, int)
    os.kill(backend, signal.SIGSTOP)
    os.kill(postmaster(cluster_of(data_dir)), signal.SIGKILL)

    second = own()
    with FileLock(start_lock(data_dir)) as lock:
        wait_until("the second owner is starting", lambda: not lock.is_free())
    assert not running(cluster_of(data_dir), "bin/postgres")
    os.kill(backend, signal.SIGCONT)

    assert run_sql(second.started().url, "select 1") == [(1,)]


def test_a_killed_first_start_leaves_nothing_half_made(data_dir: Path, own: OwnerFactory) -> None:
    owner = own()
    cluster = data_dir / "postgres"

    def drafts() -> list[Path]:
        return list(cluster_of(data_dir).parent.glob(f"{UNFINISHED}*"))

    wait_until("initdb is at work", lambda: any((draft / "postgres" / "PG_VERSION").exists() for draft in drafts()))
    owner.kill()
    assert not cluster.exists()

    assert run_sql(own().started().url, "select 1") == [(1,)]
    assert drafts() == []
