"""Every kind of definition has its executor."""

from __future__ import annotations

from typing import get_args

from headrace.model.definition import Kind
from headrace.worker.run.dispatch import EXECUTORS


def test_every_kind_of_definition_has_an_executor() -> None:
    assert set(EXECUTORS) == set(get_args(Kind))
