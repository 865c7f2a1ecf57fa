"""Secrets of a payload are seen by the handler, and nowhere in what is kept or said of its run."""

from __future__ import annotations

import base64
import logging
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Annotated
from urllib.parse import quote

import pytest
from pydantic import BaseModel, Field, SecretStr
from tests.contract import apart
from tests.waiting import until
from tests.worker.running import errors, finished, said, set_up, until_status, working

import headrace.worker.run.dispatch
from headrace import Cancel, Context, Fail, Headrace, Retry, Snooze
from headrace.cli.process.log_output import ForPeople, ForPrograms
from headrace.db.connect import Connection
from headrace.model.secret.mask_outcome import LARGE, masker_for
from headrace.model.secret.masking import Masker
from headrace.model.secret.schema import SecretSchema

SECRET = "tr0ub4dor&3/horse"
WriteOnly = Annotated[str, Field(json_schema_extra={"writeOnly": True})]


class Card(BaseModel):
    number: WriteOnly
    owner: str


async def everything(connection: Connection) -> str:
    """All that the database knows of runs, in one text."""
    parts = [
        await connection.fetchval(f"select coalesce(string_agg(to_jsonb(t)::text, ' '), '') from headrace.{table} as t")
        for table in ("attempt", "log", "progress")
    ]
    return " ".join(parts)


async def written(connection: Connection) -> bool:
    return bool(await connection.fetchval("select exists (select from headrace.progress)"))


async def test_however_it_is_written(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def leak(password: str, ctx: Context) -> None:
        raw = password.encode()
        for text in (raw.hex(), base64.b64encode(b"ab" + raw).decode(), quote(password, safe=""), repr(password)):
            print("it is", text)
        sys.stdout.write(password[:5])
        sys.stdout.write(password[5:] + "\n")
        ctx.log.info("fields", said=[password], token="short")
        logging.getLogger("shop").warning("given %s", password)

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    lines = await said(connection, job.id)
    assert all("***" in line for line in lines if line != "fields")
    kept = await everything(connection)
    assert SECRET not in kept
    assert SECRET.encode().hex() not in kept
    fields = await connection.fetchval("select fields::text from headrace.log where message = 'fields'")
    assert fields == '{"said": ["***"], "token": "***"}'


async def test_in_an_error_and_its_traceback(hr: Headrace, connection: Connection) -> None:
    @hr.job(max_attempts=1)
    async def leak(password: str) -> None:
        try:
            raise KeyError(password)
        except KeyError as error:
            raise ValueError(f"no {password}") from error

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    assert job.last_error == "ValueError: no ***"
    assert "KeyError: '***'" in await connection.fetchval("select traceback from headrace.attempt")
    assert SECRET not in await everything(connection)


@pytest.mark.parametrize("what", [Retry, Snooze, Cancel, Fail])
async def test_in_what_a_handler_asks_for(
    hr: Headrace, connection: Connection, what: type[Retry | Snooze | Cancel | Fail]
) -> None:
    @hr.job(max_attempts=2)
    async def leak(password: str, ctx: Context) -> None:
        if ctx.fencing_token == 1:
            raise what(0.01, reason=f"no {password}") if what in (Retry, Snooze) else what(f"no {password}")  # type: ignore[arg-type]

    async with working(hr):
        await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    kept = await everything(connection)
    assert "no ***" in kept
    assert SECRET not in kept


async def test_in_a_progress_text(hr: Headrace, connection: Connection) -> None:
    @hr.job()
    async def leak(password: str, ctx: Context) -> str:
        ctx.progress(0.5, f"half way with {password}")
        await until("the progress is written", lambda: written(connection))
        return str(await connection.fetchval("select message from headrace.progress"))

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    assert job.result == "half way with ***"
    assert SECRET not in await everything(connection)


async def test_in_the_workers_own_log(hr: Headrace, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    @hr.job()
    async def leak(password: str, ctx: Context) -> None:
        ctx.log.info(f"it is {password}", given=password)

    async with working(hr):
        await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    assert "it is ***" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.parametrize("size", [1_000, 100_000])
async def test_the_secrets_of_a_large_payload_are_looked_for_once_and_beside_the_loop(
    hr: Headrace, connection: Connection, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    where: list[bool] = []

    def watched(payload: str, schema: SecretSchema, others: Sequence[str]) -> Masker:
        where.append(threading.current_thread() is threading.main_thread())
        return masker_for(payload, schema, others)

    monkeypatch.setattr(headrace.worker.run.dispatch, "masker_for", watched)

    @hr.job(max_attempts=1)
    async def leak(password: str, rows: str, ctx: Context) -> None:
        print("it is", password)
        ctx.progress(0.5, password)
        raise ValueError(f"wrong: {password}")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET, "rows": "a token " * (size // 8)}))
    assert job.last_error == "ValueError: wrong: ***"
    assert await said(connection, job.id) == ["it is ***"]
    assert where == [size < LARGE]


class Seen(logging.Handler):
    """A handler of the application's own, which looks at all that a record has."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    @property
    def text(self) -> str:
        shown = [f"{logging.Formatter().format(record)} {record.args} {record.msg}" for record in self.records]
        return "\n".join(shown)


@pytest.fixture
def shop_log() -> Iterator[Seen]:
    """What the logger `shop` says, also to handlers that the root does not have."""
    seen, logger = Seen(), logging.getLogger("shop")
    logger.addHandler(seen)
    yield seen
    logger.removeHandler(seen)


async def test_in_what_handlers_of_the_application_see_of_its_logging(
    hr: Headrace, connection: Connection, shop_log: Seen
) -> None:
    @hr.job()
    async def leak(password: str) -> None:
        shop = logging.getLogger("shop")
        shop.warning("given %s", password)
        shop.warning("it begins with %.3s", password)
        shop.warning("too many %s", password, password)
        shop.warning({"event": f"as structlog has it: {password}", "level": 3})
        try:
            raise ValueError(f"no {password}")
        except ValueError:
            shop.exception("failed")

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"password": SECRET}))
    assert job.status == "succeeded"
    assert "given ***" in shop_log.text
    assert {"event": "as structlog has it: ***", "level": 3} in [record.msg for record in shop_log.records]
    assert "ValueError: no ***" in shop_log.text
    assert SECRET not in shop_log.text
    for own in (ForPeople(colours=False), ForPrograms()):
        assert "ValueError: no ***" in own.format(shop_log.records[-1])
    (failed,) = [line for line in await said(connection, job.id) if line.startswith("failed\nTraceback")]
    assert failed.endswith("ValueError: no ***")


async def test_records_of_a_run_without_secrets_are_left_as_they_are(hr: Headrace, shop_log: Seen) -> None:
    @hr.job()
    async def open_book(name: str) -> None:
        logging.getLogger("shop").warning("given %s", name)

    async with working(hr):
        await finished(hr, await hr.enqueue("open_book", {"name": SECRET}))
    (record,) = shop_log.records
    assert (record.msg, record.args) == ("given %s", (SECRET,))


async def test_of_a_field_that_its_schema_calls_secret_however_deep_it_stands(
    hr: Headrace, connection: Connection
) -> None:
    @hr.job()
    async def pay(card: Card, others: list[Card], phrase: WriteOnly) -> str:
        print("paying with", card.number, others[0].number, phrase)
        return card.owner

    payload = {
        "card": {"number": "4111-1111-1111", "owner": "Ann Example"},
        "others": [{"number": "5222-2222-2222", "owner": "Bob"}],
        "phrase": "open sesame",
    }
    async with working(hr):
        job = await finished(hr, await hr.enqueue("pay", payload))
    assert job.result == "Ann Example"
    assert await said(connection, job.id) == ["paying with *** *** ***"]


class Vault(BaseModel):
    codes: tuple[str, SecretStr]


async def test_of_lists_and_maps_which_only_the_handler_sees(hr: Headrace, connection: Connection) -> None:
    seen: list[str] = []

    @hr.job()
    async def unlock(keys: list[SecretStr], by_name: dict[str, SecretStr], vault: Vault | None = None) -> list[str]:
        assert vault is not None
        seen.extend(key.get_secret_value() for key in (*keys, *by_name.values(), vault.codes[1]))
        print("unlocking with", *seen)
        return seen

    payload = {
        "keys": ["key-of-a-list"],
        "by_name": {"a": "value-of-a-map"},
        "vault": {"codes": ["x", "end-of-a-pair"]},
    }
    async with working(hr):
        job = await finished(hr, await hr.enqueue("unlock", payload))
        shown = await hr.control.jobs.get(job.id)
    assert seen == ["key-of-a-list", "value-of-a-map", "end-of-a-pair"]
    assert job.result == ["***"] * 3
    assert await said(connection, job.id) == ["unlocking with *** *** ***"]
    assert shown.payload == {"keys": ["***"], "by_name": {"a": "***"}, "vault": {"codes": ["x", "***"]}}


async def test_an_argument_that_the_job_does_not_take_is_not_named_where_there_are_secrets(hr: Headrace) -> None:
    @hr.job(max_attempts=1)
    async def unlock(keys: list[SecretStr]) -> None:
        """Never runs."""

    async with working(hr), hr.database.pool.acquire() as conn:
        payload = '{"keys": [], "a-secret-as-a-name": 1}'
        job_id = await conn.fetchval("select headrace.enqueue('unlock', $1::text::jsonb)", payload)
        await until_status(conn, job_id, "scheduled")
        error = (await errors(conn, job_id))[0]
    assert ": ***: Extra inputs are not permitted (this worker has version" in str(error)


async def test_across_the_place_where_a_long_line_is_cut(database_url: str, connection: Connection) -> None:
    async with working(set_up(apart.hr, database_url)):
        job = await finished(apart.hr, await apart.leak_across_the_cut_apart.enqueue(password=SECRET))
    assert job.status == "succeeded"
    (line,) = await said(connection, job.id)
    assert line.strip("x…") in ("***", "")
    assert SECRET not in await everything(connection)


async def test_what_is_too_short_is_masked_as_a_field_and_not_within_words(
    hr: Headrace, connection: Connection
) -> None:
    @hr.job()
    async def leak(pin: str, ctx: Context) -> str:
        ctx.log.info("a cat sat", pin=pin)
        return "concatenated"

    async with working(hr):
        job = await finished(hr, await hr.enqueue("leak", {"pin": "cat"}))
    assert job.result == "concatenated"
    assert await said(connection, job.id) == ["a cat sat"]
    assert await connection.fetchval("select fields::text from headrace.log") == '{"pin": "***"}'
