"""What strangers said reaches a terminal as text: no sequence is obeyed, and no line passes for one of ours."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from pathlib import Path

import pytest
from tests.cli.calling import Shell
from tests.cli.touring import Cli

from headrace.cli.process.log_output import ForPeople, ForPrograms
from headrace.log import get_logger

# Moves, a title, a colour in C1, a bell, a change of direction, a mark of it, and a line that looks like ours.
SAID = "a\x1b[2J\x1b]0;owned\x07\x9b31m\x85\u202egnp\u2066\u200f\x7f\n12:00:00 [info     ] job succeeded"
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("colours", [False, True])
def test_the_text_log_shows_strangers_words_as_text(caplog: pytest.LogCaptureFixture, colours: bool) -> None:
    log = get_logger("headrace.test")
    log.warning("request handled", path=SAID, parts=[SAID], odd=Odd(), **{SAID: 1})
    logging.getLogger("uvicorn").warning(SAID)
    try:
        raise ValueError(SAID)
    except ValueError:
        log.exception("request failed")

    form = ForPeople(colours=colours)
    request, plain, failure = (COLOURS.sub("", form.format(record)) for record in caplog.records)

    for text in (request, plain, failure):
        assert OBEYED.search(text) is None, text
        assert "\\x1b[2J" in text
        assert re.findall(r"(?m)^12:00:00", text) == []
    assert len(request.splitlines()) == 1
    assert "ValueError: a\\x1b[2J" in failure


class Odd:
    """A value that shows itself as it likes."""

    def __repr__(self) -> str:
        return SAID


def test_the_json_log_is_exact_and_harmless(caplog: pytest.LogCaptureFixture) -> None:
    get_logger("headrace.test").warning("request handled", path=SAID)
    line = ForPrograms().format(caplog.records[0])
    assert json.loads(line)["path"] == SAID
    assert OBEYED.search(line) is None


async def test_no_command_hands_strangers_words_to_the_terminal(served: Cli) -> None:
    job_id = await served.ended("say_hello", name=SAID)
    async with served.hr.database.pool.acquire() as conn:
        await conn.execute("update headrace.job set correlation_id = $1, created_by = $1", SAID)
        await conn.execute("update headrace.attempt set error = $1", SAID)
        await conn.execute("update headrace.worker set name = $1", SAID)
        await conn.execute("update headrace.trigger set name = name || $1", SAID)
        await conn.execute("insert into headrace.audit (who, role, action, target) values ($1, 'x', 'x', $1)", SAID)
    shell = Shell(served.folder, **{"TERM": "xterm", "NO_COLOR": "", **served.variables})
    for words in (
        ("jobs", "list"),
        ("jobs", "show", job_id),
        ("jobs", "logs", job_id),
        ("jobs", "wait", job_id),
        ("jobs", "attempts", job_id),
        ("logs", "search", ""),
        ("triggers", "list"),
        ("workers", "list"),
        ("audit", "list"),
    ):
        shown = await asyncio.to_thread(shell.on_terminal, *words, columns=160)
        harmless = COLOURS.sub("", shown)
        assert OBEYED.search(harmless) is None, (words, shown)
        assert re.findall(r"(?m)^12:00:00", harmless) == [], (words, shown)
    snapshot = await served.ok("top")
    assert OBEYED.search(snapshot) is None, snapshot


def test_a_bar_shows_progress_as_text(tmp_path: Path) -> None:
    script = tmp_path / "bar.py"
    script.write_text(
        "import sys\nfrom headrace.cli.output.progress import bar\nsys.stderr = sys.stdout\n"
        f"with bar('job') as tell:\n    tell(0.5, {SAID!r})\n"
    )
    shell = Shell(tmp_path, TERM="xterm")
    shell._command = lambda _arguments: [sys.executable, str(script)]  # type: ignore[assignment, method-assign]
    shown = shell.on_terminal(columns=200)
    assert "a\\x1b[2J\\x1b]0;owned" in shown
    assert "\x1b]0;" not in shown
