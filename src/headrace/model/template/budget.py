"""The budget of work for what a trigger makes of one event: steps of evaluation and characters of text."""

from __future__ import annotations

from typing import Any

MAX_STEPS = 100_000
# A payload of the largest size, and as much again for the condition.
MAX_TEXT = 2_000_000


class OverBudget(Exception):
    """The evaluation would cost more than its budget; the message names the budget."""


class Budget:
    """Counts work as it is done. One budget covers the condition and the payload of one trigger for one event."""

    __slots__ = ("_max_steps", "_max_text", "steps", "text")

    def __init__(self, *, max_steps: int = MAX_STEPS, max_text: int = MAX_TEXT) -> None:
        self._max_steps = max_steps
        self._max_text = max_text
        self.steps = 0
        """Steps done so far: parts of expressions visited, and values looked through to compare them."""
        self.text = 0
        """Characters of text produced so far."""

    def add_steps(self, n: int = 1) -> None:
        """Count steps, or `OverBudget`."""
        self.steps += n
        if self.steps > self._max_steps:
            raise OverBudget(f"it exceeds the budget of {self._max_steps:,} steps for one event")

    def add_text(self, n: int) -> None:
        """Count characters, or `OverBudget`."""
        self.text += n
        if self.text > self._max_text:
            raise OverBudget(f"it exceeds the budget of {self._max_text:,} characters of text for one event")

    def add_values(self, value: Any) -> None:
        """Count a step for each value inside a list or object, or `OverBudget` before all are counted."""
        waiting = [value]
        while waiting:
            inside = waiting.pop()
            if isinstance(inside, dict | list):
                self.add_steps(len(inside))
                waiting.extend(inside.values() if isinstance(inside, dict) else inside)
