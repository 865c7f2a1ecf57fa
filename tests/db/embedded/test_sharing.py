"""Several processes share one server, and the last one out stops it."""

import os
import signal
from pathlib import Path

from tests.db.embedded.conftest import OwnerFactory
from tests.db.embedded.owners import cluster_of, postmaster, run_sql, running
from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer


def test_processes_that_start_at_once_share_one_server(data_dir: Path, own: OwnerFactory) -> None:
    owners = [own() for _ in range(4)]
    urls = {owner.started().url for owner in owners}

    assert len(urls) == 1
    assert postmaster(cluster_of(data_dir)) > 0
    assert [owner.sole_owner for owner in owners].count(True) == 1


def test_the_last_one_out_stops_the_server(data_dir: Path, own: OwnerFactory) -> None:
    first, second = own().started(), own().started()

    first.stop()
    assert run_sql(second.url, "select 1") == [(1,)]

    second.stop()
    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))


def test_two_shares_in_one_process_count_as_two(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as first:
        with EmbeddedServer.start(data_dir) as second:
            assert (first.sole_owner, second.sole_owner) == (True, False)
        assert run_sql(first.url, "select 1") == [(1,)]


def test_stopping_twice_gives_up_one_share_only(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as first:
        second = EmbeddedServer.start(data_dir)
        second.stop()
        second.stop()
        assert run_sql(first.url, "select 1") == [(1,)]


def test_what_was_committed_is_there_at_the_next_start(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        run_sql(server.url, "create table kept as select 42 as number")
    with EmbeddedServer.start(data_dir) as server:
        assert server.sole_owner
        assert run_sql(server.url, "select number from kept") == [(42,)]


def test_a_forked_child_does_not_keep_its_parents_share(data_dir: Path, own: OwnerFactory) -> None:
    owner = own().started()
    owner.tell("fork")
    child = int(owner.hear("forked")["pid"])
    try:
        owner.kill()
        wait_until("the server is stopped", lambda: not running(cluster_of(data_dir)))
    finally:
        os.kill(child, signal.SIGKILL)  # it was still alive


def test_an_owner_that_comes_after_a_killed_one_is_the_sole_owner(own: OwnerFactory) -> None:
    own().started().kill()

    assert own().started().sole_owner
