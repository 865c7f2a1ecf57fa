"""Five hundred hostile values: each reaches the program as it is, or is refused by name."""

from __future__ import annotations

import asyncio
import random

from tests.executors.command.running import LINUX_ONLY, run

from headrace.executors.command.argv import ArgumentRefused, build_argv, parse_argv
from headrace.executors.command.executor import CommandExecutor
from headrace.executors.command.launch import Launch

pytestmark = LINUX_ONLY

PIECES = [
    *("-", "--", "-rf", "--help", "@file", "@", "=", "'", '"', "`id`", "$(id)", "${HOME}", "$HOME", "\\", "\\0", "\\n"),
    *(
        "\n",
        "\r\n",
        "\t",
        " ",
        "  ",
        "",
        "\x00",
        "\x01",
        "\x1b[31m",
        "\x7f",
        "%s",
        "%n",
        "{tenant}",
        "{{",
        "}}",
        "*",
    ),
    *(
        "?",
        "[a-z]",
        "~",
        "~root",
        "!",
        "#",
        "&",
        "&&",
        ";",
        "|",
        "||",
        "<",
        ">",
        ">>",
        "(",
        ")",
        "/etc/passwd",
        "../..",
    ),
    *("ż", "🚰", "\u202e", "\ufeff", "\u0000", "e\u0301", "\ud800", "\udfff", "\uffff", "𐀀", "日本語", "null", "true"),
    *("1e999", "-1", "0x10", "a" * 100_000, "ż" * 65_535, "ż" * 65_536, "a" * 131_071, "a" * 131_072),
]


def hostile_values() -> list[str]:
    chance = random.Random(4)  # noqa: S311 - the same each time
    return PIECES + ["".join(chance.choices(PIECES[:-5], k=chance.randint(2, 6))) for _ in range(500 - len(PIECES))]


async def test_hostile_values_arrive_byte_equal_or_are_refused_by_name(commands: CommandExecutor) -> None:
    # Each argument comes back with a NUL behind it, which no argument can contain.
    whole = parse_argv(["/usr/bin/printf", r"%s\0", "begin", "{value}", "end"])
    prefixed = parse_argv(["/usr/bin/printf", r"%s\0", "begin", "--value={value}", "end"])
    in_turn = asyncio.Semaphore(4)
    arrived, refused = 0, list[str]()

    async def arrives(argv: list[bytes]) -> None:
        async with in_turn:
            end, output = await run(commands, Launch(argv))
        assert end.exit_code == 0
        assert output.of("stdout").split(b"\0") == [*argv[2:], b""]

    async with asyncio.TaskGroup() as group:
        for value in hostile_values():
            for slots, prefix in [(whole, b""), (prefixed, b"--value=")]:
                try:
                    argv = build_argv(slots, {"value": value}, {})
                except ArgumentRefused as error:
                    refused.append(str(error))
                else:
                    arrived += 1
                    assert argv[3] == prefix + value.encode()
                    group.create_task(arrives(argv))
    assert arrived + len(refused) == 1000
    assert all(sentence.startswith("value: ") for sentence in refused)
    assert arrived > 500
    assert len(refused) > 50
