"""`headrace top`: the snapshot, the screen and its keys, and a terminal that is unchanged."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.cli.touring import Cli
from tests.waiting import PATIENCE

from headrace.cli.output.sparkline import spark
from headrace.cli.top.actions import obey
from headrace.cli.top.draw import draw_screen
from headrace.cli.top.facts import TopFacts
from headrace.cli.top.keyboard import split
from headrace.cli.top.view import View
from headrace.errors import Conflict

NOW = "2026-01-31T12:00:00Z"


async def test_without_a_terminal_it_prints_what_there_is(cli: Cli) -> None:
    job = await cli.ended("charge_card", order=13)
    text = await cli.ok("top")
    for word in ("queued", "Queues", "Workers", "□□", "Jobs: running, then failed", job, "failed"):
        assert word in text
    found = await cli.one("top")
    assert [one["id"] for one in found["jobs"]] == [job]
    assert {"summary", "queues", "workers", "steps"} <= set(found)
    assert "--every" in await cli.refused("top", "--every", "0")


async def test_a_tenants_token_sees_its_jobs_only(served: Cli) -> None:
    made = await served("tokens", "create", "x", "--role", "tenant_viewer", "--tenant", "default")
    text = await served.ok("top", HEADRACE_TOKEN=made.out.strip())
    assert text.count("not for this token") == 2


def job(number: int, status: str = "running", **more: Any) -> dict[str, Any]:
    return {
        "id": f"01900000-0000-7000-8000-{number:012}",
        "definition": "render_a_video_of_some_length",
        "status": status,
        "cancel_requested": False,
        "attempt_count": 1,
        "max_attempts": 4,
        "started_at": NOW,
        "finished_at": None if status == "running" else NOW,
        "progress": 0.4,
        "progress_message": "frame 96\x1b[2J of 240",
        "last_error": None if status == "running" else "ValueError: no\nmore",
        "worker": "host:1",
        "queue": "video",
        **more,
    }


def queue(name: str, **more: Any) -> dict[str, Any]:
    return {
        "queue": name,
        "paused": False,
        "pause": None,
        "paused_definitions": [],
        "depth": {"queued": 1, "running": 2, "scheduled": 3},
        "oldest_age_seconds": 5.0,
        "workers": 1,
        "last_hour": {"enqueued": 1, "succeeded": 2, "failed": 3, "retried": 0},
        **more,
    }


def worker(number: int, concurrency: int = 4) -> dict[str, Any]:
    return {
        "id": number,
        "name": f"host:{number}",
        "state": "live",
        "stale": False,
        "draining": False,
        "running": 1,
        "concurrency": concurrency,
        "heartbeat_at": NOW,
        "started_at": NOW,
        "queues": ["*"],
    }


def facts(jobs: int = 3, queues: int = 3) -> TopFacts:
    step = dict.fromkeys(("enqueued", "succeeded", "failed", "dead_letter", "canceled"), 60) | {"at": NOW}
    summary = {
        "queued": 12,
        "running": 3,
        "scheduled": 1,
        "succeeded": 99,
        "failed": 1,
        "dead_letter": 1,
        "dead_letter_capped": True,
        "oldest_queued_seconds": 7.0,
        "now": NOW,
    }
    return TopFacts(
        summary,
        [step] * 60,
        60.0,
        [queue(f"queue{n}") for n in range(queues)],
        [worker(1), worker(2, concurrency=64)],
        [job(n) for n in range(jobs)] + [job(1000, "failed")],
    )


@pytest.mark.parametrize(("width", "height"), [(80, 24), (160, 50), (40, 12), (119, 30), (120, 30)])
@pytest.mark.parametrize("many", [0, 3, 300])
def test_the_screen_fits_whatever_there_is(width: int, height: int, many: int) -> None:
    view = View("http://127.0.0.1:8720", facts(many, many))
    for _ in range(3):
        view.move(1)
        out = io.StringIO()
        console = Console(file=out, width=width, height=height, force_terminal=True, color_system=None, emoji=False)
        console.print(draw_screen(view, width, height))
        lines = out.getvalue().rstrip("\n").split("\n")
        assert len(lines) <= height
        assert all(len(line) <= width for line in lines)
        assert "\x1b[2J" not in out.getvalue()
        assert "12 queued" in lines[1]
    assert "q quit" in lines[-1] or width < 60


def test_a_place_is_kept_when_rows_come_and_go() -> None:
    view = View("", facts(5))
    view.move(2)
    assert view.selected("jobs") == job(2)
    view.show(TopFacts(*[*_parts(facts(5))[:5], [job(9), job(2), job(3)]]))
    assert view.selected("jobs") == job(2)
    view.show(TopFacts(*[*_parts(facts(5))[:5], [job(9), job(3), job(4)]]))
    assert view.selected("jobs") == job(4)
    view.move(100)
    assert view.at("jobs") == 2
    view.show(TopFacts(*[*_parts(facts(5))[:5], []]))
    assert view.selected("jobs") is None
    view.move(1)


def _parts(one: TopFacts) -> list[Any]:
    return [one.summary, one.steps, one.step_seconds, one.queues, one.workers, one.jobs]


class Api:
    """Notes what is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def post(self, path: str) -> None:
        if "queue2" in path:
            raise Conflict("it cannot be paused")
        self.asked.append(path)


async def test_keys_pause_cancel_and_retry_after_a_question() -> None:
    api: Any = Api()
    view = View("", facts(2))
    assert not await obey(api, view, "c")
    assert view.question is not None
    assert not await obey(api, view, "n")
    assert view.said == "unchanged"
    await obey(api, view, "c")
    assert await obey(api, view, "y")
    await obey(api, view, "r")
    assert view.said == "the job runs: cancel it first, or wait for its end"
    await obey(api, view, "end")
    await obey(api, view, "c")
    assert view.said == "the job has ended"
    await obey(api, view, "r")
    assert await obey(api, view, "y")
    await obey(api, view, "tab")
    await obey(api, view, "down")
    assert await obey(api, view, "p")
    assert view.said == "paused queue queue1"
    await obey(api, view, "down")
    assert not await obey(api, view, "p")
    assert view.said == "it cannot be paused"
    assert api.asked == [
        f"/jobs/{job(0)['id']}/cancel",
        f"/jobs/{job(1000)['id']}/retry",
        "/admin/queues/queue1/pause",
    ]


def test_keys_that_come_together_are_told_apart() -> None:
    pressed = "\x1b[A\x1b[Bjk\t\x1b[Z\x1b[15~qé\x1b[4~"
    assert list(split(pressed)) == ["up", "down", "down", "up", "tab", "tab", "q", "é", "end"]
    assert list(split("\x1b")) == ["escape"]


def test_a_small_picture_of_numbers() -> None:
    assert spark([]) == ""
    assert spark([0, 0]) == "▁▁"
    assert spark([0, 1, 1000]) == "▁▂█"
    assert len(spark([1] * 100, width=10)) == 10


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, cli: Cli, folder: Path, width: int = 80, height: int = 24) -> None:
        self.main, child = pty.openpty()
        ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.before = termios.tcgetattr(child)
        self.child = child
        environ = {**os.environ, **cli.variables, "TERM": "xterm", "PYTHONPATH": "src"}
        command = [sys.executable, "-m", "headrace", "top", "--every", "0.2"]
        self.process = subprocess.Popen(command, env=environ, stdin=child, stdout=child, stderr=child)
        os.set_blocking(self.main, False)
        self.seen = ""

    def until(self, text: str) -> None:
        """Wait until it has shown this."""
        ends = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < ends, self.seen[-2000:]
            if select.select([self.main], [], [], 1)[0]:
                self.seen += os.read(self.main, 65536).decode("utf-8", "replace")

    def end(self) -> int:
        """How it ended."""
        self.until("\x1b[?1049l")  # the other screen is left
        code = self.process.wait(PATIENCE)
        assert termios.tcgetattr(self.child)[:4] == self.before[:4]
        os.close(self.child)
        os.close(self.main)
        return code


@pytest.mark.parametrize("way", ["q", "ctrl-c", "terminated"])
async def test_the_terminal_is_left_as_it_was(served: Cli, tmp_path: Path, way: str) -> None:
    def use() -> tuple[int, str]:
        terminal = Terminal(served, tmp_path)
        terminal.until("\x1b[?1049h")
        terminal.until("q quit")
        assert termios.tcgetattr(terminal.child)[3] & (termios.ICANON | termios.ECHO) == 0
        if way == "q":
            os.write(terminal.main, b"\tp")
            terminal.until("paused queue")
            os.write(terminal.main, b"q")
        else:
            terminal.process.send_signal(signal.SIGINT if way == "ctrl-c" else signal.SIGTERM)
        return terminal.end(), terminal.seen

    code, seen = await asyncio.to_thread(use)
    assert code == 0
    assert "Traceback" not in seen
