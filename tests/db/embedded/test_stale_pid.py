"""A lock file that a dead server left proves nothing, and a living server is never pushed aside."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.db.embedded.conftest import OwnerFactory
from tests.db.embedded.owners import cluster_of, postmaster, run_sql, running
from tests.waiting import wait_until

from headrace.db.embedded import EmbeddedServer
from headrace.db.embedded.account import Account, account_for
from headrace.db.embedded.halt import clear_stale_files
from headrace.db.embedded.layout import Layout
from headrace.errors import EmbeddedServerError


@pytest.fixture
def bystander(data_dir: Path) -> Iterator[int]:
    """A living process of the user that the server runs under, so that PostgreSQL sees it and respects it."""
    account = account_for(data_dir / "postgres")
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE, cwd="/", **account.identity) as process:
        yield process.pid
        process.kill()


def test_a_reused_process_id_does_not_keep_the_server_down(data_dir: Path, own: OwnerFactory, bystander: int) -> None:
    owner = own().started()
    cluster = cluster_of(data_dir)
    os.kill(postmaster(cluster), signal.SIGKILL)
    owner.kill()
    wait_until("all are gone", lambda: not running(cluster))
    stale = (cluster / "postmaster.pid").read_text().splitlines()
    (cluster / "postmaster.pid").write_text("\n".join([str(bystander), *stale[1:]]) + "\n")

    assert run_sql(own().started().url, "select 1") == [(1,)]

    os.kill(bystander, 0)  # nobody harmed it


def test_stopping_never_signals_the_process_that_reused_the_id(data_dir: Path, bystander: int) -> None:
    with EmbeddedServer.start(data_dir):
        lock_file = cluster_of(data_dir) / "postmaster.pid"
        lines = lock_file.read_text().splitlines()
        lock_file.write_text("\n".join([str(bystander), *lines[1:]]) + "\n")

    os.kill(bystander, 0)
    wait_until("server and supervisor are gone", lambda: not running(cluster_of(data_dir)))


def test_a_server_that_someone_else_started_is_left_alone(data_dir: Path) -> None:
    with EmbeddedServer.start(data_dir) as server:
        program = server.bin_dir / "postgres"
    cluster = cluster_of(data_dir)
    account = Account(cluster.stat().st_uid, cluster.stat().st_gid)
    command = [str(program), "-D", str(cluster), "-k", str(cluster), "-c", "listen_addresses="]
    with subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL, **account.identity) as foreign:
        wait_until("it is ready", lambda: "ready" in _text(cluster / "postmaster.pid"))

        with pytest.raises(EmbeddedServerError, match=f"process {foreign.pid}"):
            EmbeddedServer.start(data_dir)

        assert foreign.poll() is None
        foreign.send_signal(signal.SIGINT)


def test_a_file_that_names_a_dead_process_stays_for_postgresql_to_judge(tmp_path: Path) -> None:
    layout = Layout(tmp_path, home=tmp_path)
    layout.cluster.mkdir()
    layout.run.mkdir()
    (layout.run / "token").write_text("token")
    with subprocess.Popen(["/bin/true"]) as gone:
        pass
    layout.postmaster_pid.write_text(f"{gone.pid}\n")

    clear_stale_files(layout)

    assert layout.postmaster_pid.exists()


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""
