"""`hr.blocking` and `hr` in a process that was forked from one in which they were open."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import psycopg
import pytest
from tests.api.served import free_port
from tests.environ import bare_environ
from tests.waiting import PATIENCE, wait_until

HERE = Path(__file__).parent


@pytest.mark.parametrize("how", ["blocking", "awaited"])
@pytest.mark.parametrize("embedded", [False, True], ids=["a server", "the embedded server"])
def test_parent_and_child_go_on_after_a_fork_and_neither_harms_the_other(
    how: str, embedded: bool, shared_url: str, tmp_path: Path
) -> None:
    where = str(tmp_path / "data") if embedded else shared_url
    command = [sys.executable, "-W", "default", str(HERE / "forking.py"), how, where]
    done = subprocess.run(command, env=bare_environ(), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (0, "child 7\nwent on\n"), done.stderr
    assert "ignored" not in done.stderr
    assert "ResourceWarning" not in done.stderr


def test_workers_of_gunicorn_that_were_forked_from_a_preloaded_application_enqueue(
    shared_url: str, tmp_path: Path
) -> None:
    port = free_port()
    options = ["--preload", "--workers", "2", "--bind", f"127.0.0.1:{port}", "--chdir", str(HERE)]
    environ = {**bare_environ(), "HEADRACE_DATABASE_URL": shared_url}
    with (tmp_path / "said.log").open("wb") as said:
        command = [sys.executable, "-m", "gunicorn", *options, "preloaded:application"]
        process = subprocess.Popen(command, env=environ, stdout=said, stderr=said, cwd=tmp_path)
    try:
        answers: dict[str, str] = {}

        def both_have_answered() -> bool:
            assert process.poll() is None, (tmp_path / "said.log").read_text()
            try:
                pid, job_id = httpx.get(f"http://127.0.0.1:{port}", timeout=20).text.split()
            except httpx.ConnectError:
                return False
            answers[pid] = job_id
            return len(answers) == 2

        wait_until("both workers have enqueued a job", both_have_answered)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0, (tmp_path / "said.log").read_text()
    with psycopg.connect(shared_url) as connection:
        found = connection.execute(
            "select count(*) from headrace.queue where job_id = any(%s::uuid[])", [list(answers.values())]
        ).fetchone()
    assert found == (2,)
