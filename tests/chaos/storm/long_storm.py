"""All faults at once over a mixed load: nothing is lost, doubled, stuck, missed, extra, above a limit or wronged.

A longer one: `python -m tests.chaos.storm --seed 7 --minutes 10`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable

import pytest
from tests.chaos.storm.plan import HEAVY, KINDS
from tests.chaos.storm.storm import storm

LONG = bool(os.environ.get("LONG_TESTS"))
SECONDS = 600.0 if LONG else 12.0
SEED = int(os.environ.get("STORM_SEED", "7"))


@pytest.mark.timeout(1800 if LONG else 300)
async def test_a_storm_of_every_fault_loses_doubles_and_wrongs_nothing(
    record_property: Callable[[str, object], None],
) -> None:
    report = await storm(SEED, SECONDS)
    print(report.table())
    for what, n in report.figures().items():
        record_property(what, n)
    assert report.findings.nothing(), report.table()
    injected = Counter(one.kind for one in report.evidence.injected)
    # A trap in a proxy may wait in vain for a rare statement while the machine is busy.
    assert set(HEAVY) <= set(injected)
    assert len(injected) > len(KINDS) * 0.6
    if LONG:
        assert set(injected) == set(KINDS)
        assert injected.total() > 1000
