"""The budget of work: what an evaluation costs is counted, and more than the budget is an error like any other."""

from __future__ import annotations

from typing import Any

import pytest

from headrace.errors import BadRequest
from headrace.model.template.budget import MAX_TEXT, Budget
from headrace.model.template.expression import MAX_CALLS, TemplateError
from headrace.model.template.template import Condition, Template
from headrace.model.trigger.declaration import complete_settings

LARGE: dict[str, Any] = {"event": {"x": [0.5] * 120_000, "y": [0.5] * 120_000, "text": "x" * 400_000}}


def many_calls(n: int) -> str:
    return f"not_null({','.join(['to_string(event)'] * (n - 1))})"


def test_text_beyond_the_budget_is_an_error_that_names_it_and_little_more_text_is_made() -> None:
    budget = Budget()
    with pytest.raises(TemplateError, match=r"failed: it exceeds the budget of 2,000,000 characters of text"):
        Condition.read(many_calls(58)).holds(LARGE, budget)
    # The three calls that the budget has room for, and the one that is too much.
    assert MAX_TEXT < budget.text < MAX_TEXT * 2


@pytest.mark.parametrize(
    "text", ["event.x == event.y", "event.x != event.y", "contains(event.x, `[]`)", "contains(event.x, 'a')"]
)
def test_values_looked_through_are_steps_and_too_many_are_an_error(text: str) -> None:
    with pytest.raises(TemplateError, match=r"failed: it exceeds the budget of 100,000 steps"):
        Condition.compile(text).holds(LARGE)


def test_the_condition_and_the_payload_of_a_trigger_share_one_budget() -> None:
    condition, template = Condition.compile("to_string(event.text)"), Template.compile({"a": "{{event.text}}"})
    budget = Budget(max_text=500_000)
    assert condition.holds(LARGE, budget)
    assert budget.text == 0  # a text is its own text
    template.render(LARGE, budget)
    with pytest.raises(TemplateError, match=r'^payload\.a: expression "event\.text" failed: it exceeds the budget'):
        template.render(LARGE, budget)


def test_ordinary_questions_cost_a_step_for_each_part() -> None:
    budget = Budget()
    assert Condition.compile("event.n > `4` && contains(event.tags, 'b')").holds(
        {"event": {"n": 5, "tags": ["a", "b"]}}, budget
    )
    assert (budget.steps, budget.text) == (13, 0)
    Template.compile({"n": "{{event.n}}", "tags": "{{event.tags}}"}).render({"event": {"n": 5, "tags": ["a"]}}, budget)
    assert (budget.steps, budget.text) == (17, 5)


def test_too_many_function_calls_are_refused_where_a_condition_is_written_and_a_stored_one_keeps_working() -> None:
    few, many = many_calls(MAX_CALLS), many_calls(MAX_CALLS + 1)
    assert complete_settings({"event": "a", "condition": few})["condition"] == few
    with pytest.raises(BadRequest, match=r"it has 21 function calls \(at most 20\)$") as refused:
        complete_settings({"event": "a", "condition": many})
    assert refused.value.field == "condition"
    with pytest.raises(TemplateError, match=r"it has 21 function calls \(at most 20\)$"):
        Condition.compile(many)
    assert Condition.read(many).holds({"event": {}})
