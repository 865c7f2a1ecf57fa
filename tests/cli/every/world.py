"""What examples speak of, made in a database; and the words of an example with what there is in their places."""

from __future__ import annotations

import shlex
from datetime import timedelta

from tests.cli.alerting import know_sending, raise_alert
from tests.cli.touring import Cli

from headrace.queue.lease import WorkerIdentity, register_worker

TEMPLATE = ("--payload", '{"name": "x"}')


async def prepare(cli: Cli) -> None:
    """Jobs that ended in each way, a trigger by event, and as if a worker that sends notices had been here."""
    await cli.ended("send_reminder", user_id=42)
    await cli.ended("charge_card", order=7)
    await know_sending(cli)
    await cli.ok("triggers", "create", "on-folder", "say_hello", "--event", "folder.*", *TEMPLATE)


async def placed(cli: Cli, line: str) -> list[str]:
    """The words of a call, with ids for ID and EVENT, and a worker that lives for number 1."""
    words = shlex.split(line)
    return [await _placed(cli, word, words) for word in words]


async def _placed(cli: Cli, word: str, words: list[str]) -> str:
    if word == "EVENT":
        return str((await cli.one("events", "emit", "folder.updated"))["id"])
    if word == "0198c0de":
        return await raise_alert(cli)
    if word == "1" and words[0] == "workers":
        return await _worker(cli)
    if word != "ID":
        return word
    match words[1]:
        case "cancel":
            return str(await cli.hr.enqueue("say_hello", {"name": "x"}, delay=timedelta(hours=1)))
        case "logs":
            return await cli.ended("send_reminder", user_id=42)
        case _:
            return await cli.ended("say_hello", name="x")


async def _worker(cli: Cli) -> str:
    identity = WorkerIdentity("other", "host", 1, "0", ("none",), (), 1, timedelta(minutes=5))
    async with cli.hr.database.pool.acquire() as conn:
        return str(await register_worker(conn, identity))
