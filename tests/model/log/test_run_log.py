"""The lines of a run: taken from any thread, numbered without a gap, and not without end."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from headrace.model.log.run_log import LogLimits, RunLog
from headrace.model.secret.masking import Masker

START = datetime(2026, 1, 1, tzinfo=UTC)
ENOUGH = LogLimits()


def opened(limits: LogLimits = ENOUGH, *, secrets: tuple[str, ...] = (), times: list[datetime] | None = None) -> RunLog:
    left = list(times or [])
    return RunLog(uuid4(), 1, clock=lambda: left.pop(0) if left else START, limits=limits, masker=Masker(secrets))


@given(st.lists(st.text(max_size=30), max_size=60), st.integers(1, 40), st.integers(1, 300), st.integers(1, 100))
def test_whatever_is_said_is_kept_in_order_or_counted(said: list[str], lines: int, size: int, tail: int) -> None:
    log = opened(LogLimits(lines, size, tail))
    for text in said:
        log.write(text)
    assert log.is_full == (len(log) < len(said))
    kept = len(log)
    log.close()
    log.write("too late")
    taken = log.take(1000)
    assert [line.seq for line in taken] == list(range(1, len(taken) + 1))
    if kept == len(said):
        assert len(taken) == kept
    else:
        last_words = len(taken) - kept - 1
        assert last_words >= 1
        assert taken[kept].message == f"… {len(said) - kept - last_words:,} lines left out: too many in one attempt"


def test_threads_that_write_at_once_get_a_number_each() -> None:
    log = opened()

    def write() -> None:
        for _ in range(500):
            log.write("x")

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line.seq for line in log.take(10_000)] == list(range(1, 4001))


def test_what_is_put_back_is_taken_again_first() -> None:
    log = opened()
    for text in "abcd":
        log.write(text)
    first = log.take(2)
    log.put_back(first)
    assert [line.message for line in log.take(9)] == ["a", "b", "c", "d"]


def test_a_clock_that_is_set_back_turns_no_lines_around() -> None:
    log = opened(times=[START, START - timedelta(hours=1), START + timedelta(seconds=1)])
    for text in "abc":
        log.write(text)
    assert [line.at for line in log.take(9)] == [START, START, START + timedelta(seconds=1)]


def test_the_last_words_wake_the_reader_though_all_else_was_taken() -> None:
    woken: list[RunLog] = []
    log = RunLog(uuid4(), 1, clock=lambda: START, limits=LogLimits(lines=1), on_line=woken.append)
    log.write("kept")
    log.write("too much")
    assert len(woken) == 1
    log.close()
    assert len(woken) == 2


def test_a_secret_is_masked_before_the_line_is_cut() -> None:
    log = opened(secrets=("correct-horse-battery",))
    log.write("x" * (16_384 - 8) + "correct-horse-battery")
    assert log.take(1)[0].message.strip("x…") in ("***", "")


@given(
    st.dictionaries(
        st.text(max_size=8),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
            max_leaves=8,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_fields_are_an_object(fields: dict[str, object]) -> None:
    log = opened(secrets=("correct-horse-battery", "123456789"))
    log.write("x", fields={**fields, "n": 123456789})
    text = log.take(1)[0].fields
    assert text is not None
    assert isinstance(json.loads(text), dict)
    assert "123456789" not in text


def test_fields_that_are_too_long_or_hostile_are_said_so() -> None:
    class Hostile:
        def __str__(self) -> str:
            raise RuntimeError("no")

    log = opened()
    log.write("x", fields={"a": "x" * 20_000})
    log.write("x", fields={"a": Hostile()})
    assert [line.fields for line in log.take(2)] == [
        '{"left_out": "the fields were too long"}',
        '{"unreadable": "RuntimeError"}',
    ]
