"""No value becomes code, nor the name of a program: a command that would have it so is refused at load."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from headrace.executors.command.argv import ArgvInvalid, parse_argv
from headrace.executors.command.check_argv import check_argv
from headrace.executors.command.programs import PROGRAMS, SHELLS, WRAPPERS, plain_name

# How each is called with a value, and a value that makes the file "owned": where the program is installed, it does.
ATTACKS: list[tuple[list[str], str]] = [
    *(
        ([shell, "-c", "{a}"], "touch owned")
        for shell in sorted(SHELLS - {"git-shell", "xonsh", "rc", "es", "nu", "ion"})
    ),
    (["rc", "-c", "{a}"], "touch owned"),
    (["fish", "--command={a}"], "touch owned"),
    (["/usr/bin/env", "-i", "/bin/sh", "-c", "{a}"], "touch owned"),
    (["nice", "-n", "5", "bash", "-euc", "{a}"], "touch owned"),
    (["setsid", "--wait", "timeout", "5", "rbash", "-c", "{a}"], "touch owned"),
    (["no-such-wrapper", "mksh", "-c", "{a}"], "touch owned"),
    (["busybox", "sh", "-c", "{a}"], "touch owned"),
    (["su", "root", "-c", "{a}"], "touch owned"),
    (["su", "--command={a}", "root"], "touch owned"),
    (["runuser", "-c", "{a}"], "touch owned"),
    (["script", "-qc", "{a}", "/dev/null"], "touch owned"),
    (["script", "--command", "{a}", "/dev/null"], "touch owned"),
    (["flock", "lock", "-c", "{a}"], "touch owned"),
    (["watch", "-n", "1", "{a}"], "touch owned"),
    (["watch", "echo", "{a}"], "$(touch owned)"),
    (["ssh", "-p", "22", "host", "backup", "{a}"], "x; touch owned"),
    (["ssh", "-o", "{a}", "host"], "ProxyCommand=touch owned"),
    (["ssh", "-oProxyCommand={a}", "host"], "touch owned"),
    (["tmux", "new-session", "{a}"], "touch owned"),
    (["screen", "-dm", "{a}"], "touch"),
    (["parallel", "{a}", ":::", "1"], "touch owned"),
    (["python3", "-Ic", "{a}"], "open('owned', 'w')"),
    (["/usr/bin/python3.11", "-c", "{a}"], "open('owned', 'w')"),
    (["perl", "-e", "{a}"], "open(F, '>owned')"),
    (["perl", "-lane", "{a}", "/etc/passwd"], "open(F, '>owned')"),
    (["ruby", "-e", "{a}"], "File.write('owned', '')"),
    (["node", "--eval={a}"], "require('fs').writeFileSync('owned', '')"),
    (["node", "-p", "{a}"], "require('fs').writeFileSync('owned', '')"),
    (["php", "-r", "{a}"], "touch('owned');"),
    (["lua5.4", "-e", "{a}"], "io.open('owned', 'w')"),
    (["awk", "{a}"], 'BEGIN { system("touch owned") }'),
    (["mawk", "-v", "x=1", "{a}", "/dev/null"], 'BEGIN { system("touch owned") }'),
    (["sed", "-n", "{a}", "/etc/passwd"], "1w owned"),
    (["sed", "-e", "{a}", "/etc/passwd"], "1e touch owned"),
    (["vim", "-es", "-c", "{a}", "-c", "q"], "!touch owned"),
    (["sqlite3", "x.db", "{a}"], ".shell touch owned"),
    (["psql", "-Atc", "{a}"], "\\! touch owned"),
    (["find", ".", "-maxdepth", "0", "-exec", "{a}", "owned", ";"], "touch"),
    (["find", ".", "-maxdepth", "0", "-exec", "sh", "-c", "{a}", ";"], "touch owned"),
    (["xargs", "-a", "/etc/hostname", "sh", "-c", "{a}"], "touch owned"),
    (["env", "-S", "{a}"], "touch owned"),
    (["env", "X=1", "{a}", "owned"], "touch"),
    (["nice", "-n", "5", "{a}", "owned"], "touch"),
    (["timeout", "5", "{a}", "owned"], "touch"),
    (["setsid", "-w", "{a}", "owned"], "touch"),
    (["stdbuf", "-o", "L", "{a}", "owned"], "touch"),
    (["make", "-f", "/dev/null", "X={a}", "--eval=$(X)"], "$(shell touch owned)"),
    (["git", "-c", "{a}", "x"], "alias.x=!touch owned"),
    (["tar", "-cf", "/dev/null", "--checkpoint=1", "--checkpoint-action={a}", "."], "exec=touch owned"),
    (["sort", "-S", "1k", "--compress-program={a}", "/etc/passwd"], "touch"),
]
PLAIN = [
    ["/bin/sh", "-c", 'gzip -c "$1" > "$2"', "gzip", "{a}", "{a}"],
    ["fish", "-c", "echo $argv", "{a}"],
    ["python3", "-c", "import sys", "{a}"],
    ["python3", "job.py", "-c", "{a}"],
    ["perl", "-ne", "print", "{a}"],
    ["perl", "job.pl", "-e", "{a}"],
    ["node", "job.js", "--eval", "{a}"],
    ["awk", "-v", "name={a}", "{{ print name }}", "{a}"],
    ["awk", "-f", "job.awk", "{a}"],
    ["sed", "-n", "1p", "{a}"],
    ["sed", "-e", "1p", "-n", "{a}"],
    ["env", "NAME={a}", "/usr/bin/job", "{a}"],
    ["nice", "-n", "{a}", "/usr/bin/job", "{a}"],
    ["timeout", "{a}", "/usr/bin/job", "-c", "{a}"],
    ["flock", "-w", "{a}", "/run/lock", "/usr/bin/job", "-c", "{a}"],
    ["flock", "{a}", "-c", "echo done"],
    ["sudo", "-u", "{a}", "/usr/bin/job", "{a}"],
    ["setpriv", "--reuid", "1000", "--clear-groups", "/usr/bin/job", "{a}"],
    ["xargs", "-n", "{a}", "/usr/bin/job", "{a}"],
    ["chroot", "{a}", "/usr/bin/job", "{a}"],
    ["find", "{a}", "-name", "{a}", "-delete"],
    ["watch", "-x", "echo", "{a}"],
    ["ssh", "-i", "{a}", "{a}", "uptime"],
    ["git", "clone", "--", "{a}"],
    ["tar", "-xf", "{a}"],
    ["rsync", "-a", "{a}", "{a}"],
    ["npm", "run", "watch", "{a}"],
    ["job", "--lang", "es", "-c", "{a}"],
    ["echo", "script", "-c", "{a}"],
]


def check(argv: list[str], *, on_stdin: bool = False) -> None:
    """Ask as the configuration does."""
    schema = {"properties": {"a": {"type": "string"}}, "required": ["a"]}
    check_argv(parse_argv(argv), schema, lambda _: False, on_stdin=on_stdin)


@pytest.mark.parametrize("argv", [argv for argv, _ in ATTACKS], ids=" ".join)
def test_a_value_that_a_program_would_run_is_refused_with_the_reason_and_the_cure(argv: list[str]) -> None:
    with pytest.raises(ArgvInvalid) as refused:
        check(argv)
    place = next(n for n, word in enumerate(argv) if "{a}" in word)
    assert str(refused.value).startswith(f"argv[{place}]: values of the payload would ")
    assert any(cure in str(refused.value) for cure in ("pass them as", "write its name"))


@pytest.mark.parametrize("argv", PLAIN, ids=" ".join)
def test_a_value_that_stays_an_argument_is_accepted(argv: list[str]) -> None:
    check(argv)


@pytest.mark.parametrize("argv", [["sh"], ["bash", "-s"], ["env", "dash", "-e"], ["sh", "-o", "errexit"]], ids=" ".join)
def test_a_payload_on_stdin_is_not_given_to_a_shell_that_would_run_it(argv: list[str], tmp_path: Path) -> None:
    with pytest.raises(ArgvInvalid, match="would run the payload, which it reads from stdin, as code; name a script"):
        check(argv, on_stdin=True)
    check(argv)
    for plain in (["sh", "-c", "cat"], ["bash", "-e", "job.sh"], ["job", "-s"]):
        check(plain, on_stdin=True)
    subprocess.run(argv, cwd=tmp_path, input=b'{"a": "$(touch owned)"}', capture_output=True, timeout=60, check=False)
    assert (tmp_path / "owned").exists()


def runs_here(argv: list[str]) -> bool:
    """Whether this machine has it, and it needs neither a terminal nor another host."""
    away = {"watch", "ssh", "tmux", "screen", "psql", "sort", "no-such-wrapper"}
    return shutil.which(argv[0]) is not None and argv[0] not in away and (argv[0] not in {"su", "runuser"} or IS_ROOT)


IS_ROOT = os.geteuid() == 0


@pytest.mark.parametrize(
    ("argv", "value"), [(argv, value) for argv, value in ATTACKS if runs_here(argv)], ids=lambda of: str(of)[:60]
)
def test_the_list_is_true_of_the_programs_that_are_installed(argv: list[str], value: str, tmp_path: Path) -> None:
    words = [word.replace("{a}", value) for word in argv]
    environ = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(tmp_path), "SHELL": "/bin/sh"}
    subprocess.run(
        words, cwd=tmp_path, env=environ, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False
    )
    assert (tmp_path / "owned").exists()


def test_every_shell_of_this_system_is_known() -> None:
    listed = [line.strip() for line in Path("/etc/shells").read_text().splitlines() if line.startswith("/")]
    programs = {entry for place in ("/bin", "/usr/bin", "/usr/local/bin") for entry in Path(place).iterdir()}
    # What leads to a shell is one, whatever it is called: rbash is a link to bash.
    installed = {entry.name for entry in programs if plain_name(entry.resolve().name) in SHELLS}
    unknown = {name for name in {Path(shell).name for shell in listed} | installed if not is_known(name)}
    assert unknown == set()


def is_known(name: str) -> bool:
    """Whether the lists have it: tmux and screen stand in /etc/shells too."""
    return plain_name(name) in SHELLS | PROGRAMS.keys() | WRAPPERS.keys()
