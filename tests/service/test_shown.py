"""Which tenants and definitions have names in metrics."""

from __future__ import annotations

from itertools import product

import pytest

import headrace.service.metrics.service as metrics
from headrace.service.metrics.service import Shown


def test_the_busiest_have_names_and_there_is_a_bound_to_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_TENANTS", 2)
    monkeypatch.setattr(metrics, "MOST_DEFINITIONS", 3)
    shown = Shown()

    shown.choose(list(product([7, 8, 9], [1, 2, 3, 4])))

    assert list(shown.tenants) == [7, 8]
    assert list(shown.definitions) == [1, 2, 3]
    assert list(shown.pairs) == list(product([7, 8], [1, 2, 3]))


def test_pairs_have_a_bound_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_PAIRS", 5)
    shown = Shown()

    shown.choose(list(product(range(10), range(10))))

    assert len(shown.pairs) == 5
    assert shown.full


def test_who_was_chosen_stays_though_others_become_busier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MOST_TENANTS", 1)
    shown = Shown()
    shown.choose([(1, 1)])

    shown.choose([(2, 1), (2, 2), (1, 2)])

    assert list(shown.pairs) == [(1, 1), (1, 2)]
