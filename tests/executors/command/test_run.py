"""What comes back from a command that ends by itself."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
from tests.executors.command.running import LINUX_ONLY, Output, program, run, shell
from tests.executors.doing import open_files

from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.launch import Launch

pytestmark = LINUX_ONLY


async def test_exit_code_output_and_what_it_took_are_reported(commands: CommandExecutor) -> None:
    end, output = await run(commands, shell("echo out; echo err >&2; echo $$; exit 3"))
    assert (end.exit_code, end.signal, end.timed_out, end.stopped, end.cannot_execute) == (3, None, False, False, None)
    assert output.of("stdout") == b"out\n%d\n" % end.pid
    assert output.of("stderr") == b"err\n"
    assert end.duration > 0
    assert (end.leftovers, end.unkillable, end.result) == (0, (), None)


async def test_a_signal_that_was_not_ours_is_reported(commands: CommandExecutor) -> None:
    end, _ = await run(commands, shell("kill -9 $$"))
    assert (end.exit_code, end.signal, end.stopped) == (None, signal.SIGKILL, False)


async def test_cpu_and_memory_are_those_of_the_whole_tree(commands: CommandExecutor) -> None:
    end, _ = await run(commands, program("burn", 0.3))
    assert end.cpu_seconds >= 0.3
    small = end.peak_memory_bytes
    end, _ = await run(commands, program("hold", 100))
    assert end.peak_memory_bytes > 100 * 1024 * 1024 > small


async def test_the_environment_is_exactly_what_was_given(
    commands: CommandExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKER_SECRET", "hush")
    given = {"LANG": "C.UTF-8", "ODD": "a=b\nż \udcff"}
    end, output = await run(commands, Launch([b"/usr/bin/env", b"-0"], env=given))
    found = dict(line.split(b"=", 1) for line in output.of("stdout").rstrip(b"\0").split(b"\0"))
    home = found.pop(b"HOME").decode()
    assert found.pop(b"TMPDIR").decode() == home
    assert found.pop(b"HEADRACE_RESULT").decode() == f"{home}/result.json"
    assert found == {b"LANG": b"C.UTF-8", b"ODD": b"a=b\n\xc5\xbc \xff"}
    assert end.exit_code == 0


async def test_nothing_but_the_three_streams_is_open_and_no_signal_is_blocked_or_ignored(
    commands: CommandExecutor,
) -> None:
    _, output = await run(commands, shell("ls /proc/self/fd; grep -E '^(Sig(Blk|Ign)|NoNewPrivs)' /proc/self/status"))
    lines = output.of("stdout").decode().split()
    assert lines[:3] == ["0", "1", "2"]
    assert len(lines) == 4 + 6  # ls itself has one more open
    _, blocked, _, ignored, *privileges = lines[4:]
    assert privileges == ["NoNewPrivs:", "1"]
    # Signals 32 and 33 are the C library's own: no program can set them, and they come as they were inherited.
    assert [int(signals, 16) & ~(0b11 << 31) for signals in (blocked, ignored)] == [0, 0]


async def test_a_command_starts_in_a_scratch_directory_of_its_own(commands: CommandExecutor, scratch: Path) -> None:
    _, output = await run(commands, shell("pwd; umask; stat -c %a .; touch made; stat -c %a made"))
    where, umask, mode, made = output.of("stdout").decode().split()
    assert Path(where).parent == scratch
    assert (umask, mode, made) == ("0077", "700", "600")
    assert not Path(where).exists()


async def test_a_scratch_directory_is_removed_however_deep_or_closed_it_is(commands: CommandExecutor) -> None:
    end, _ = await run(commands, program("dig", 1500))
    assert end.exit_code == 0
    await run(commands, shell("ln -s /etc linked; mkdir a a/b; touch a/b/c; mkfifo pipe; chmod 0 a/b a ."))


async def test_stdin_is_the_given_bytes_or_nothing(commands: CommandExecutor) -> None:
    payload = os.urandom(300_000)
    _, output = await run(commands, shell("cat", stdin=payload))
    assert output.of("stdout") == payload
    _, output = await run(commands, shell("cat; readlink /proc/self/fd/0"))
    assert output.of("stdout") == b"/dev/null\n"


async def test_merged_streams_keep_their_order(commands: CommandExecutor) -> None:
    script = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done"
    _, output = await run(commands, shell(script, merge_stderr=True))
    assert output.of("stdout") == b"".join(b"out %d\nerr %d\n" % (i, i) for i in range(1, 6))
    assert output.of("stderr") == b""


async def test_output_is_any_bytes_in_small_pieces(commands: CommandExecutor) -> None:
    noise = bytes(range(256)) * 2_000
    _, output = await run(commands, shell("cat", stdin=noise))
    assert output.of("stdout") == noise
    assert max(len(data) for _, data in output.parts) <= 65_536


async def test_cannot_execute_is_not_exit_code_127(commands: CommandExecutor, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for path, reason in [("/no/such/program", "No such file or directory"), (str(plain), "Permission denied")]:
        end, _ = await run(commands, Launch([path.encode()]))
        assert (end.exit_code, end.signal, end.cannot_execute) == (None, None, f"{path}: {reason}")
    plain.chmod(0o755)
    end, _ = await run(commands, Launch([str(plain).encode()]))
    assert end.cannot_execute == f"{plain}: Exec format error"
    end, _ = await run(commands, Launch([b"/bin/true", *[b"a" * 131_000] * 50]))
    assert end.cannot_execute == "/bin/true: Argument list too long"
    end, _ = await run(commands, Launch([b"/bin/true"], env={"A": "b\0c"}))
    assert end.cannot_execute == "/bin/true: embedded null byte"
    end, _ = await run(commands, shell("exit 127"))
    assert (end.exit_code, end.cannot_execute) == (127, None)


async def test_a_program_without_a_path_is_looked_for_in_the_given_path(commands: CommandExecutor) -> None:
    end, _ = await run(commands, Launch([b"true"], env={"PATH": "/usr/bin:/bin"}))
    assert end.exit_code == 0
    end, _ = await run(commands, Launch([b"true"], env={"PATH": "/nowhere"}))
    assert end.cannot_execute == "true: No such file or directory"


async def test_the_result_file_is_read_before_it_is_removed(commands: CommandExecutor) -> None:
    write = 'printf \'{"a": 1}\' > "$HEADRACE_RESULT"'
    assert (await run(commands, shell(write, result_file=True)))[0].result == b'{"a": 1}'
    assert (await run(commands, shell(write)))[0].result is None
    assert (await run(commands, shell("true", result_file=True)))[0].result is None
    huge = 'head -c 1500000 /dev/zero > "$HEADRACE_RESULT"'
    assert len((await run(commands, shell(huge, result_file=True)))[0].result or b"") == 1_000_001


@pytest.mark.parametrize(
    "trick", ["ln -s /etc/passwd $HEADRACE_RESULT", "mkfifo $HEADRACE_RESULT", "mkdir $HEADRACE_RESULT"]
)
async def test_a_result_that_is_no_plain_file_is_not_read(commands: CommandExecutor, trick: str) -> None:
    assert (await run(commands, shell(trick, result_file=True)))[0].result is None


async def test_a_receiver_that_fails_stops_the_command_and_is_heard(commands: CommandExecutor) -> None:
    def refuse(_stream: str, _data: bytes) -> None:
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        await commands.run(shell("echo hello; exec sleep 3600"), refuse)


async def test_many_run_at_once(commands: CommandExecutor) -> None:
    runs = [run(commands, shell(f"sleep 0.2; echo {number}; exit {number}")) for number in range(40)]
    for number, (end, output) in enumerate(await asyncio.gather(*runs)):
        assert end.exit_code == number
        assert output.of("stdout") == b"%d\n" % number


def test_commands_run_on_uvloop_too(scratch: Path) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def main() -> None:
        commands = CommandExecutor(lease=3600, scratch=scratch)
        end, output = await run(commands, shell("head -c 300000 /dev/zero; exit 3"))
        assert (end.exit_code, len(output.of("stdout"))) == (3, 300_000)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await commands.run(shell("exec sleep 3600"), Output())
        await commands.close()

    uvloop.run(main())


async def test_nothing_stays_open(commands: CommandExecutor) -> None:
    await run(commands, shell("true"))
    before = open_files()
    for _ in range(5):
        await run(commands, shell("echo hello", stdin=b"hello"))
        await run(commands, Launch([b"/no/such/program"]))
    assert open_files() == before
