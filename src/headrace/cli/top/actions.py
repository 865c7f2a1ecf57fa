"""What keys do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from headrace.cli.top.view import Question, View
from headrace.errors import HeadraceError

if TYPE_CHECKING:
    from headrace.cli.core.api import Api

STEPS = {"up": -1, "down": 1, "page up": -10, "page down": 10, "home": -1_000_000, "end": 1_000_000}


async def obey(api: Api, view: View, key: str) -> bool:
    """True when something was changed, so that it is to be read again."""
    view.said = None
    if view.question is not None:
        return await _answer(view, key)
    if key in STEPS:
        view.move(STEPS[key])
    elif key == "tab":
        view.switch()
    elif key == "p":
        return await _pause_or_resume(api, view)
    elif key in ("c", "r"):
        _ask(api, view, "cancel" if key == "c" else "retry")
    return False


async def _answer(view: View, key: str) -> bool:
    question, view.question = view.question, None
    if question is None or key.lower() != "y":
        view.said = "unchanged"
        return False
    return await _try(view, question.then, question.done)


async def _pause_or_resume(api: Api, view: View) -> bool:
    queue = view.selected("queues")
    if queue is None:
        view.said = "no queue is selected"
        return False
    verb = "resume" if queue["paused"] else "pause"
    path = f"/admin/queues/{quote(queue['queue'], safe='')}/{verb}"
    return await _try(view, lambda: api.post(path), f"{verb}d queue {queue['queue']}")


def _ask(api: Api, view: View, verb: str) -> None:
    job = view.selected("jobs")
    if job is None:
        view.said = "no job is selected"
    elif verb == "retry" and job["status"] == "running":
        view.said = "the job runs: cancel it first, or wait for its end"
    elif verb == "cancel" and job["status"] != "running":
        view.said = "the job has ended"
    else:
        text = f"{verb} {job['definition']} {job['id']}? y/n"
        done = f"{'asked to stop' if verb == 'cancel' else 'queued again'}: {job['definition']} {job['id']}"
        view.question = Question(text, lambda: api.post(f"/jobs/{job['id']}/{verb}"), done)


async def _try(view: View, then: Callable[[], Awaitable[Any]], done: str) -> bool:
    try:
        await then()
    except HeadraceError as error:
        view.said = str(error)
        return False
    view.said = done
    return True
