"""What a command may use, and what keeps it from running here."""

from __future__ import annotations

import asyncio
import os
import pwd
import resource
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import pytest
from tests.executors.command.running import (
    IS_ROOT,
    LINUX_ONLY,
    Output,
    end_of,
    other_user,
    program,
    program_argv,
    public_python,
    run,
    shell,
)
from tests.waiting import until

from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.keeper.cgroup import usable_parent
from headrace.executors.command.launch import CommandLimits, Launch
from headrace.executors.command.preflight import preflight

pytestmark = LINUX_ONLY
GREEDY = "const kept = []; for (;;) kept.push(Buffer.alloc(1 << 20, 1))"


async def test_memory_is_limited(commands: CommandExecutor) -> None:
    limits = CommandLimits(memory_mb=200)
    assert (await run(commands, program("hold", 50, limits=limits)))[0].exit_code == 0
    end, output = await run(commands, program("hold", 400, limits=limits))
    assert end.exit_code == 1
    assert b"MemoryError" in output.of("stderr")
    assert end.peak_memory_bytes < 300 * 1024 * 1024


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
async def test_node_starts_under_a_memory_limit_and_is_held_to_it(commands: CommandExecutor) -> None:
    node = os.fsencode(shutil.which("node") or "")
    limits = CommandLimits(memory_mb=512)
    end, output = await run(commands, Launch([node, b"-e", b"console.log(1 + 1)"], limits=limits))
    assert (end.exit_code, output.of("stdout")) == (0, b"2\n")
    end, _ = await run(commands, Launch([node, b"-e", GREEDY.encode()], limits=limits, timeout=60))
    assert not end.timed_out
    assert end.exit_code != 0
    assert end.peak_memory_bytes < 800 * 1024 * 1024


async def test_processor_time_is_limited(commands: CommandExecutor) -> None:
    end, _ = await run(commands, program("burn", 30, limits=CommandLimits(cpu_seconds=1)))
    assert end.signal == signal.SIGXCPU
    assert end.cpu_seconds > 0.3  # the kernel counts whole ticks for the limit


async def test_files_are_limited_in_size_and_number(commands: CommandExecutor) -> None:
    end, _ = await run(commands, shell("exec head -c 3000000 /dev/zero > file", limits=CommandLimits(file_size_mb=1)))
    assert end.signal == signal.SIGXFSZ
    _, output = await run(commands, shell("ulimit -n; ulimit -Hn", limits=CommandLimits(open_files=50)))
    assert output.of("stdout") == b"50\n50\n"


async def test_without_limits_a_command_has_those_of_the_worker(commands: CommandExecutor) -> None:
    _, output = await run(commands, shell("ulimit -n; ulimit -d"))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    data, _ = resource.getrlimit(resource.RLIMIT_DATA)
    assert output.of("stdout").decode().split() == [
        str(soft),
        "unlimited" if data == resource.RLIM_INFINITY else str(data // 1024),
    ]


async def test_a_command_runs_as_its_user_alone(commands: CommandExecutor) -> None:
    user = other_user()
    script = "id -u; id -G; echo here > file && cat file; echo back > /dev/stdout; kill -9 $PPID 2>/dev/null || echo no"
    end, output = await run(commands, shell(f"{script}; cat /proc/self/oom_score_adj", user=user, result_file=True))
    account = pwd.getpwnam(user)
    assert output.of("stdout").decode().split() == [
        *(str(account.pw_uid), str(account.pw_gid), "here", "back", "no", "500")
    ]
    assert end.exit_code == 0


async def test_the_result_of_another_user_is_read_unless_it_is_a_link(commands: CommandExecutor) -> None:
    user = other_user()
    end, _ = await run(commands, shell("echo 1 > $HEADRACE_RESULT", user=user, result_file=True))
    assert end.result == b"1\n"
    end, _ = await run(commands, shell("ln -s /etc/shadow $HEADRACE_RESULT", user=user, result_file=True))
    assert end.result is None


async def test_a_fork_bomb_is_bounded_and_ended(commands: CommandExecutor) -> None:
    user = other_user("games")
    bomb = "bomb() { bomb | bomb & }; bomb; exec sleep 3600"
    limits = CommandLimits(max_processes=100)
    end, _ = await run(commands, shell(bomb, user=user, limits=limits, timeout=1.0, kill_grace=0.2))
    assert end.timed_out
    assert not processes_of(user)


async def test_a_setsid_bomb_that_outlives_its_leader_is_ended(commands: CommandExecutor) -> None:
    user, python = other_user("news"), public_python()
    argv = [part.encode() for part in program_argv("scatter", 60, python=python)]
    end, _ = await run(commands, Launch(argv, user=user, limits=CommandLimits(max_processes=100)))
    assert end.exit_code == 0
    assert end.leftovers > 30
    assert not processes_of(user)


async def test_more_processes_than_allowed_from_the_start_is_a_clear_error(commands: CommandExecutor) -> None:
    user, output = other_user("uucp"), Output()
    first = asyncio.create_task(end_of(commands, shell("sleep 3600 & sleep 3600 & echo up; wait", user=user), output))
    await until("the first one runs", lambda: bool(output.parts))
    end, _ = await run(commands, shell("true", user=user, limits=CommandLimits(max_processes=2)))
    assert end.cannot_execute == "/bin/sh: its user already has more processes than max_processes = 2 allows"
    first.cancel()
    await first


async def test_a_fork_bomb_of_root_is_bounded_by_a_cgroup(commands: CommandExecutor) -> None:
    if not IS_ROOT or (parent := usable_parent()) is None:
        pytest.skip("needs root and a cgroup that limits processes")
    bomb = "for i in 1 2 3 4 5 6 7 8 9; do sleep 3600 & done; echo unbounded"
    end, output = await run(commands, shell(bomb, limits=CommandLimits(max_processes=5), timeout=10))
    assert end.exit_code != 0
    assert end.leftovers == 4
    assert b"unbounded" not in output.of("stdout")
    assert not list(Path(parent).glob("headrace-run-*"))


async def test_an_unknown_user_is_a_clear_error(commands: CommandExecutor) -> None:
    end, _ = await run(commands, shell("true", user="no-such-user-here"))
    assert end.cannot_execute == "unknown user 'no-such-user-here' on this machine"


def processes_of(user: str) -> list[int]:
    """Those that live."""
    uid = pwd.getpwnam(user).pw_uid
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError):  # it has ended since
            if path.stat().st_uid == uid:
                found.append(int(path.name))
    return found


def test_nothing_keeps_a_plain_command_from_running() -> None:
    assert preflight(Launch([b"/bin/sh"])) == []
    assert preflight(Launch([b"sh"], env={"PATH": "/usr/bin:/bin"})) == []


@pytest.mark.parametrize(
    ("launch", "problem"),
    [
        (Launch([b"/no/such"]), "/no/such does not exist"),
        (Launch([b"/etc"]), "/etc cannot be executed: it is a directory, or lacks the permission"),
        (Launch([b"/etc/passwd"]), "/etc/passwd cannot be executed: it is a directory, or lacks the permission"),
        (
            Launch([b"bin/x"]),
            "bin/x is a relative path, and a command starts in a scratch directory: write its whole path",
        ),
        (Launch([b"sh"], env={"PATH": "/no"}), "sh is in no directory of the command's PATH: write its whole path"),
        (Launch([b"/bin/sh"], user="nix"), "unknown user nix on this machine: create the user, or omit `user`"),
    ],
)
def test_preflight_says_what_keeps_a_command_from_running(launch: Launch, problem: str) -> None:
    assert preflight(launch) == [problem]


@pytest.mark.skipif(not IS_ROOT, reason="root alone is not bound")
def test_preflight_refuses_a_number_of_processes_that_would_not_bind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headrace.executors.command.preflight.usable_parent", lambda: None)
    limits = CommandLimits(max_processes=10)
    for user in (None, "root"):
        [problem] = preflight(Launch([b"/bin/sh"], limits=limits, user=user))
        assert problem.startswith("max_processes does not apply to root: give the command a `user` other than root")
    assert preflight(Launch([b"/bin/sh"], limits=limits, user=other_user())) == []
