"""Commands through the whole worker: from payload to argv, from exit code to outcome."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.contract.scripts import commands_on, detail, python, takes
from tests.executors.command.running import LINUX_ONLY
from tests.waiting import until
from tests.worker.running import app_on, attempts, finished, run_due, said, set_up, until_said, working

from headrace.config import CommandSettings, ExitCodes, LogsSettings
from headrace.db.connect import Connection
from headrace.service import Service

TEXT = {"type": "string"}
TOKEN = "sk-live-abcdef0123456789"


async def test_arguments_come_from_the_payload_and_from_the_job(database_url: str) -> None:
    shown = python(
        "json.dump(sys.argv[1:], open(os.environ['HEADRACE_RESULT'], 'w'))",
        *("{text}", "--n={n}", "{flag}", "{job_id}", "{run}", "{tenant}"),
        args=takes("text", "n", text=TEXT, n={"type": "number"}, flag={"type": "boolean", "default": True}),
        result="file",
    )
    text = "a b\n'\"$(id) `id` ; é *"
    async with working(hr := commands_on(database_url, show=shown)):
        job = await finished(hr, await hr.enqueue("show", {"text": text, "n": 1.5}))
    assert job.result == [text, "--n=1.5", "true", str(job.id), "1", "default"]


async def test_a_worker_says_at_its_start_that_live_workers_had_a_command_of_that_key_otherwise(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    def told() -> list[str]:
        found = [record.getMessage() for record in caplog.records if "belongs to the database" in record.getMessage()]
        caplog.clear()
        return found

    ours, same = (commands_on(database_url, tidy=python("pass"), sweep=python("pass")) for _ in range(2))
    theirs = commands_on(database_url, tidy=python("pass", "{path}", args=takes(path=TEXT)), dust=python("pass"))
    async with working(ours) as process:
        async with working(same):
            assert told() == []
        async with working(theirs):
            (warning,) = told()
            assert warning.startswith("declaration of commands.tidy replaced while live workers serve the command")
        process.reload_commands()
        await process._reloading
        assert told() == []
    async with working(theirs):
        assert told() == []


@pytest.mark.parametrize("value", ["-rf", "@file", "a\x01" + "x" * 131_072, 5])
async def test_a_hostile_payload_fails_the_job_with_the_fields_name(
    database_url: str, connection: Connection, value: Any
) -> None:
    hr = commands_on(database_url, show=python("print('ran')", "{path}", args=takes(path=TEXT)))
    set_up(hr, database_url, commands=hr.settings.commands, unreadable_after_s=0.0)
    async with working(hr):
        job_id = await connection.fetchval("select headrace.enqueue('show', $1)", json.dumps({"path": value}))
        job = await finished(hr, job_id)
    # A value that will not do fails; one of another type may be another version's.
    assert job.status == ("failed" if isinstance(value, str) else "dead_letter")
    assert "path" in str(job.last_error)
    assert await said(connection, job_id) == []


async def test_the_workers_own_file_decides_for_which_tenants_a_command_runs(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    ran = python("open(sys.argv[1], 'a').write(sys.argv[2])", str(tmp_path / "ran"), "{tenant}", tenants=["acme"])
    async with working(hr := commands_on(database_url, ran=ran)):
        await connection.execute("insert into headrace.tenant (name) values ('acme')")
        # Whoever can write the database lets everyone run it.
        await connection.execute("update headrace.definition set tenants = null where key = 'ran'")
        for tenant, status in (("default", "dead_letter"), ("acme", "succeeded")):
            job = await finished(hr, await connection.fetchval("select headrace.enqueue('ran', tenant => $1)", tenant))
            assert job.status == status
            if tenant == "default":
                assert 'does not run the command for tenant "default"' in str(job.last_error)
                assert "tenants of [commands.ran]" in str(job.last_error)
    assert (tmp_path / "ran").read_text() == "acme"


async def test_the_environment_is_exactly_what_was_declared(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIDDEN", "not for commands")
    monkeypatch.setenv("PASSED", TOKEN)
    code = "json.dump({**os.environ, 'cwd': os.getcwd()}, open(os.environ['HEADRACE_RESULT'], 'w'))"
    hr = commands_on(database_url, dump=python(code, result="file", env={"LANG": "C.UTF-8"}, pass_env=("PASSED",)))
    async with working(hr):
        job = await finished(hr, await hr.enqueue("dump"))
    seen = {name: value for name, value in job.result.items() if name != "LC_CTYPE"}  # Python's own
    scratch = seen.pop("cwd")
    assert seen == {
        "LANG": "C.UTF-8",
        "PASSED": "***",
        "PATH": os.environ["PATH"],
        "HOME": scratch,
        "TMPDIR": scratch,
        "HEADRACE_JOB_ID": str(job.id),
        "HEADRACE_RUN": "1",
        "HEADRACE_TENANT": "default",
        "HEADRACE_RESULT": seen["HEADRACE_RESULT"],
    }
    assert not Path(scratch).exists()


@pytest.mark.parametrize("code", [0, 1])
async def test_what_was_passed_from_the_environment_is_masked_everywhere(
    database_url: str, connection: Connection, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setenv("PASSED", TOKEN)
    script = (
        "t = os.environ['PASSED']; os.write(1, t[:9].encode()); time.sleep(0.1)\n"
        "os.write(1, (t[9:] + '\\n').encode())\n"
        "print('err', t.encode().hex(), file=sys.stderr); print('::progress 0.5 with', t)\n"
        f"print(json.dumps({{'t': t}})); sys.exit({code})"
    )
    async with working(hr := commands_on(database_url, leak=python(script, pass_env=("PASSED",), result="last_line"))):
        job = await finished(hr, await hr.enqueue("leak"))
    assert job.result == ({"t": "***"} if code == 0 else None)
    assert set(await said(connection, job.id)) == {"***", "err ***", "::progress 0.5 with ***", '{"t": "***"}'}
    kept = await connection.fetchval("select to_jsonb(a)::text from headrace.attempt as a")
    assert TOKEN not in kept
    assert (await detail(connection))["stderr_tail"] == "err ***"


@pytest.mark.parametrize(
    ("code", "status", "outcome", "error"),
    [
        (0, "succeeded", "succeeded", None),
        (3, "succeeded", "succeeded", None),
        (64, "failed", "failed", "exit code 64"),
        (1, "dead_letter", "failed", "exit code 1"),
    ],
)
async def test_exit_codes_mean_what_the_file_says(
    database_url: str, connection: Connection, code: int, status: str, outcome: str, error: str | None
) -> None:
    codes = ExitCodes(success=(0, 3), retry=(75,), fail=(64,))
    async with working(hr := commands_on(database_url, end=python(f"sys.exit({code})", exit_codes=codes))):
        job = await finished(hr, await hr.enqueue("end"))
    assert (job.status, job.last_error) == (status, error)
    assert await attempts(connection, job.id) == [(1, outcome, status)]
    assert (await detail(connection))["exit_code"] == code


async def test_an_exit_code_can_ask_for_a_retry(database_url: str, connection: Connection) -> None:
    code = "sys.exit(75 if os.environ['HEADRACE_RUN'] == '1' else 0)"
    hr = commands_on(database_url, end=python(code, exit_codes=ExitCodes(retry=(75,)), max_attempts=2))
    async with working(hr):
        job_id = await hr.enqueue("end")
        await run_due(connection, job_id)
        assert (await finished(hr, job_id)).status == "succeeded"
    assert await attempts(connection, job_id) == [(1, "retried", None), (2, "succeeded", "succeeded")]


async def test_a_signal_is_said(database_url: str, connection: Connection) -> None:
    async with working(hr := commands_on(database_url, end=python("os.kill(os.getpid(), signal.SIGSEGV)"))):
        job = await finished(hr, await hr.enqueue("end"))
    assert job.last_error == "killed by signal 11, not by us"
    known = await detail(connection)
    assert (known["exit_code"], known["signal"]) == (None, 11)


async def test_what_cannot_be_executed_is_an_error_of_its_own(database_url: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    async with working(hr := commands_on(database_url, end=CommandSettings(argv=(str(program),), max_attempts=1))):
        assert (await finished(hr, await hr.enqueue("end"))).status == "succeeded"
        program.unlink()
        job = await finished(hr, await hr.enqueue("end"))
    assert str(job.last_error).startswith(f"cannot execute {program}: ")


@pytest.mark.parametrize(
    ("result", "code", "kept"),
    [
        ("file", """open(os.environ['HEADRACE_RESULT'], 'w').write('[1, "é"]')""", [1, "é"]),
        ("file", "pass", None),
        ("file", "open(os.environ['HEADRACE_RESULT'], 'w').write('{no')", "warned"),
        ("file", "open(os.environ['HEADRACE_RESULT'], 'w').write('NaN')", "warned"),
        ("last_line", """print('x'); print('{"a": 1}'); print()""", {"a": 1}),
        ("last_line", """[print('x' * 100) for _ in range(500)]; print('{"a": 1}')""", {"a": 1}),
        ("last_line", "print('[1]')", "warned"),
        ("last_line", "print('done')", "warned"),
        ("last_line", r"""print('{"a": "\\u0000"}')""", "warned"),
        ("last_line", "print('{\"a\": NaN}')", "warned"),
    ],
)
async def test_a_result_is_kept_or_warned_of(
    database_url: str, connection: Connection, result: str, code: str, kept: Any
) -> None:
    logs = LogsSettings.model_construct(max_lines=20)
    hr = app_on(database_url, "commands", commands={"end": python(code, result=result)}, logs=logs)
    async with working(hr):
        job = await finished(hr, await hr.enqueue("end"))
    warnings = await connection.fetchval("select count(*) from headrace.log where level = 30 and seq <> 21")
    assert (job.status, job.result) == ("succeeded", None if kept == "warned" else kept)
    assert warnings == (1 if kept == "warned" else 0)


async def test_progress_stdin_and_one_order_for_both_streams(
    database_url: str, connection: Connection, tmp_path: Path
) -> None:
    code = (
        "n = json.load(sys.stdin)['n']\n"
        "print('::progress 0.4 half way', flush=True); print('::progress 7 is a line', flush=True)\n"
        "for i in range(n): os.write(1 + i % 2, b'%d\\n' % i)\n"
        "while not os.path.exists(sys.argv[1]): time.sleep(0.01)"
    )
    go = tmp_path / "go"
    command = python(
        code, str(go), args=takes(n={"type": "integer"}), stdin="payload", progress=True, merge_stderr=True
    )
    async with working(hr := commands_on(database_url, tell=command)):
        job_id = await hr.enqueue("tell", {"n": 500})

        async def told() -> bool:
            row = await connection.fetchrow("select fraction, message from headrace.progress")
            return row is not None and tuple(row) == (pytest.approx(0.4), "half way")

        try:
            await until("the progress is told", told)
        finally:
            go.touch()
        await finished(hr, job_id)
    assert await said(connection, job_id) == ["::progress 7 is a line", *map(str, range(500))]


async def test_what_only_looks_like_progress_is_a_line(database_url: str, connection: Connection) -> None:
    odd = [".", "", "1..0", "1.5", "nan", "inf", "-0", "1e-3", "9" * 400, "0x1", ".5.", "0_1"]
    even = ["0", "1.", ".5", "0." + "0" * 400 + "1", "1.0 . half"]
    code = f"[print('::progress', word, flush=True) for word in {odd + even}]"
    async with working(hr := commands_on(database_url, tell=python(code, progress=True))):
        job = await finished(hr, await hr.enqueue("tell"))
    assert job.status == "succeeded"
    assert await said(connection, job.id) == [f"::progress {word}" for word in odd]


@pytest.mark.parametrize("how", ["timeout", "cancel"])
async def test_the_whole_tree_is_ended(database_url: str, connection: Connection, how: str) -> None:
    code = (
        "import subprocess; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "p = subprocess.Popen(['/bin/sleep', '3600'], start_new_session=True)\n"
        "print('started', p.pid, flush=True); time.sleep(3600)"
    )
    command = python(code, timeout_seconds=2 if how == "timeout" else None)
    async with working(hr := commands_on(database_url, stay=command)):
        job_id = await hr.enqueue("stay")
        pid = (await until_said(connection, job_id, "started")).split()[1]
        if how == "cancel":
            assert await hr.cancel(job_id)
        job = await finished(hr, job_id)
        assert not Path(f"/proc/{pid}").exists()
    assert job.status == ("canceled" if how == "cancel" else "dead_letter")
    known = await detail(connection)
    assert known["signal"] == 9
    assert known["stdout_tail"] == f"started {pid}"


async def test_an_attempt_has_the_hash_of_its_argv_and_its_figures(database_url: str, connection: Connection) -> None:
    async with working(hr := commands_on(database_url, end=python("print('bye')"))) as process:
        await finished(hr, await hr.enqueue("end"))
        expected = process._commands["end"].argv_hash
    known = await detail(connection)
    assert (known["argv_hash"], known["exit_code"], known["stdout_tail"]) == (expected, 0, "bye")
    assert known["pid"] > 1
    assert 0 < known["duration_seconds"] < 30
    assert known["peak_memory_bytes"] > 1_000_000


async def test_what_a_command_leaves_running_is_ended_and_counted(database_url: str, connection: Connection) -> None:
    code = "import subprocess; subprocess.Popen(['/bin/sleep', '3600'], start_new_session=True)"
    async with working(hr := commands_on(database_url, leave=python(code))):
        job = await finished(hr, await hr.enqueue("leave"))
    assert job.status == "succeeded"
    assert await said(connection, job.id) == ["left running by the command and ended: 1 processes"]


@LINUX_ONLY
async def test_a_command_that_stops_itself_is_ended_and_its_attempt_says_why(database_url: str) -> None:
    code = (
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); os.kill(os.getpid(), signal.SIGSTOP); time.sleep(3600)"
    )
    async with working(hr := commands_on(database_url, halt=python(code, kill_grace_seconds=60.0))):
        job = await finished(hr, await hr.enqueue("halt"))
    assert job.status == "dead_letter"
    assert job.last_error == "its process was stopped by a signal (SIGSTOP) and did not go on: it was ended"


@LINUX_ONLY
async def test_what_a_command_started_and_stands_still_is_told_and_left_to_the_command(
    database_url: str, connection: Connection
) -> None:
    code = "pid = os.fork()\nif pid == 0: os.kill(os.getpid(), signal.SIGSTOP); os._exit(0)\nos.waitpid(pid, 0)"
    async with working(hr := commands_on(database_url, wait=python(code))):
        job_id = await hr.enqueue("wait")
        line = await until_said(connection, job_id, "stopped by a signal (SIGSTOP): process ")
        [warned, runs] = await Service(hr).jobs.why(job_id)
        os.kill(int(line.split(": process ")[1].split()[0]), signal.SIGCONT)
        job = await finished(hr, job_id)
    assert (warned.code, runs.code) == ("warned", "running")
    assert line in warned.detail
    assert job.status == "succeeded"
