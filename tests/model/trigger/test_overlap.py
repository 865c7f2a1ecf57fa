"""Overlap as a table: what fires, what is skipped, what waits, and whether the live job must go."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.model.trigger.overlap import Overlap, Settled, settle_overlap

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
P, A, B, C = (NOON + n * timedelta(minutes=1) for n in range(4))

# policy, what waited, what is due, live; what becomes of it
TABLE: list[tuple[Overlap, datetime | None, list[datetime], bool, Settled]] = [
    ("allow", None, [A, B], False, Settled([A, B], [])),
    ("allow", None, [A, B], True, Settled([A, B], [])),
    ("allow", P, [A], True, Settled([P, A], [])),
    ("skip", None, [], True, Settled([], [])),
    ("skip", None, [A], False, Settled([A], [])),
    ("skip", None, [A], True, Settled([], [A])),
    ("skip", None, [A, B, C], False, Settled([A], [B, C])),
    ("skip", P, [A], False, Settled([P], [A])),
    ("queue_one", None, [A], False, Settled([A], [])),
    ("queue_one", None, [A], True, Settled([], [], pending=A)),
    ("queue_one", None, [A, B, C], True, Settled([], [B, C], pending=A)),
    ("queue_one", None, [A, B, C], False, Settled([A], [C], pending=B)),
    ("queue_one", P, [], True, Settled([], [], pending=P)),
    ("queue_one", P, [], False, Settled([P], [])),
    ("queue_one", P, [A], True, Settled([], [A], pending=P)),
    ("queue_one", P, [A, B], False, Settled([P], [B], pending=A)),
    ("cancel_running", None, [A], False, Settled([A], [], "superseded")),
    ("cancel_running", None, [A, B], False, Settled([B], [A], "superseded")),
    ("cancel_running", None, [A], True, Settled([], [], "superseded", pending=A, cancel=True)),
    ("cancel_running", None, [A, B], True, Settled([], [A], "superseded", pending=B, cancel=True)),
    ("cancel_running", P, [A], True, Settled([], [P], "superseded", pending=A, cancel=True)),
    ("cancel_running", P, [], True, Settled([], [], "superseded", pending=P, cancel=False)),
    ("cancel_running", P, [], False, Settled([P], [], "superseded")),
]


@pytest.mark.parametrize(("overlap", "pending", "due", "live", "settled"), TABLE)
def test_what_becomes_of_due_times(
    overlap: Overlap, pending: datetime | None, due: list[datetime], live: bool, settled: Settled
) -> None:
    assert settle_overlap(overlap, due, live=live, pending=pending) == settled


@given(
    st.sampled_from(["allow", "skip", "queue_one", "cancel_running"]),
    st.booleans(),
    st.integers(0, 5),
    st.booleans(),
)
def test_every_due_time_is_settled_once_and_never_two_are_live(
    overlap: Overlap, waits: bool, n: int, live: bool
) -> None:
    due = [NOON + k * timedelta(minutes=1) for k in range(1, n + 1)]
    pending = NOON if waits else None
    settled = settle_overlap(overlap, due, live=live, pending=pending)
    left = [] if settled.pending is None else [settled.pending]
    assert sorted([*settled.fire, *settled.skip, *left]) == [*([NOON] if waits else []), *due]
    if overlap != "allow":
        assert len(settled.fire) + live <= 1 or not settled.fire
    assert settled.fire == sorted(settled.fire)
