"""What a condition may ask, what it answers, and what the answer costs."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter

from headrace.model.template.expression import (
    FUNCTIONS,
    IN_CONDITIONS,
    MAX_DEPTH,
    ROOTS,
    TemplateError,
    compile_condition,
    compile_value,
)
from headrace.model.template.template import Condition

SCOPE: dict[str, Any] = {
    "event": {"n": 5, "zero": 0, "text": "report.csv", "tags": ["a", "b"], "no": False, "yes": True, "null": None},
    "tenant": "acme",
}

HOLDS = [
    "event.n == `5`",
    "event.n != `6` && event.n >= `5` && event.n <= `5`",
    "event.n > `4` && event.n < `6`",
    "tenant == 'acme' || event.missing",
    "!(event.no)",
    "!(event.no || event.null)",
    "!(event.tags[9])",
    "event.missing == `null`",
    "event.null == `null`",
    "event.zero != event.no",
    "contains(event.tags, 'a')",
    "contains(event.text, '.')",
    "contains(event.missing || `[]`, 'a') == `false`",
    'contains(`["acme", "other"]`, tenant)',
    "starts_with(event.text, 'rep') && ends_with(event.text, '.csv')",
    "length(event.tags) == `2` && length(event.text) == `10` && length(event) > `1`",
    'to_string(event.tags) == \'["a","b"]\'',
    "not_null(event.missing, event.n) == `5`",
    "event.tags[-1] == 'b'",
    "(event.no || event.yes) && event.n",
    "event.text > 'a'",
]


@pytest.mark.parametrize("text", HOLDS)
def test_a_condition_holds_and_its_opposite_does_not(text: str) -> None:
    assert Condition.compile(text).holds(SCOPE) is True
    assert Condition.compile(f"!({text})").holds(SCOPE) is False


@pytest.mark.parametrize("value", [0, 0.0, 1, -1, True, "0", " ", [0], [None], {"a": None}])
def test_zero_is_true_and_so_is_whatever_is_not_empty(value: object) -> None:
    assert Condition.compile("event").holds({"event": value}) is True


@pytest.mark.parametrize("value", [None, False, "", [], {}])
def test_null_false_and_the_empty_are_false(value: object) -> None:
    assert Condition.compile("event").holds({"event": value}) is False


def test_what_is_missing_is_false() -> None:
    assert Condition.compile("event.a.b").holds({}) is False
    assert Condition.compile("event.a > `5`").holds({}) is False


@pytest.mark.parametrize(
    "text",
    [
        "length(event.n)",
        "length(event.missing)",
        "contains(event.missing, 'a')",
        "contains(event.text, event.n)",
        "starts_with(event.n, 'a')",
        "event.n < event.text",
    ],
)
def test_a_question_that_does_not_fit_the_event_is_an_error(text: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Condition.compile(text).holds(SCOPE)
    assert str(caught.value).startswith(f'expression "{text}" failed: ')
    assert "\n" not in str(caught.value)


def test_a_value_too_deep_to_print_is_an_error_like_any_other() -> None:
    deep: list[Any] = []
    for _ in range(sys.getrecursionlimit() * 100):
        deep = [deep]
    for text in ("starts_with(event, 'x')", "to_string(event)"):
        with pytest.raises(TemplateError, match="failed: "):
            Condition.compile(text).holds({"event": deep})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("event.a == 'b'", "a comparison"),
        ("event.a && event.b", "&&"),
        ("!event", "!"),
        ("length(event)", "a function"),
        ("event || length(event)", "a function"),
    ],
)
def test_what_a_condition_may_a_placeholder_may_not(text: str, reason: str) -> None:
    Condition.compile(text)
    with pytest.raises(TemplateError) as caught:
        compile_value(text)
    assert str(caught.value).endswith(f": {reason} is not allowed")


@pytest.mark.parametrize("name", [*sorted(set(Functions.FUNCTION_TABLE) - set(FUNCTIONS)), "nope"])
def test_a_function_off_the_list_is_refused(name: str) -> None:
    with pytest.raises(TemplateError, match=rf"the function {name}\(\) is not allowed, only contains, starts_with"):
        Condition.compile(f"{name}(event.a)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("length()", "length() takes 1 argument(s), not 0"),
        ("length(event, event)", "length() takes 1 argument(s), not 2"),
        ("contains(event)", "contains() takes 2 argument(s), not 1"),
        ("not_null()", "not_null() takes at least 1 argument(s), not 0"),
        ("event.length(a)", "a function is not allowed after a dot"),
        ("!event.a", "put what follows it in parentheses, as in !(event.a)"),
        ("tenant == 'a' && !event.a[0]", "put what follows it in parentheses, as in !(event.a)"),
        ("length(a)", "starts with one of event, trigger, tenant, scheduled_for"),
        ("!" * MAX_DEPTH + "event", "it nests deeper than 20"),
    ],
)
def test_a_condition_that_cannot_mean_what_it_says_is_refused(text: str, reason: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Condition.compile(text)
    assert str(caught.value).endswith(reason)


steps = st.sampled_from(["", ".a", "[0]", ".a[-1].b", '."}}"', ".*", "[]", "[::0]", "..", "["])
values = st.builds("{}{}".format, st.sampled_from(ROOTS), steps)
values |= st.sampled_from(["`null`", "`0`", "`[]`", "'x'", r"'\''", '`{"a": 1}`', "@", "nope"])
questions = st.recursive(
    values,
    lambda inner: st.one_of(
        st.builds(
            "{} {} {}".format, inner, st.sampled_from(["||", "&&", "==", "!=", "<", "<=", ">", ">=", "|"]), inner
        ),
        st.builds("({})".format, inner),
        st.builds("!{}".format, inner),
        st.builds("{}({}, {})".format, st.sampled_from([*FUNCTIONS, "map"]), inner, inner),
        st.builds("{}({})".format, st.sampled_from([*FUNCTIONS, "keys"]), inner),
    ),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=3),
)
scopes = st.dictionaries(st.sampled_from(ROOTS), anything)


@settings(deadline=None)
@given(questions | st.text() | st.text("event.'`\"[]{}()|&!@*?:0 ,\\"), scopes)
def test_the_cost_is_linear_and_nothing_but_a_template_error_comes_out(text: str, scope: dict[str, Any]) -> None:
    visited: list[str] = []
    visit = TreeInterpreter.visit

    def count(self: TreeInterpreter, node: Any, *args: Any) -> Any:
        visited.append(node["type"])
        return visit(self, node, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TreeInterpreter, "visit", count)
        for compiled in (compile_condition, compile_value):
            visited.clear()
            try:
                compiled(text).evaluate(scope)
            except TemplateError:
                continue
            finally:
                # Each node comes from at least one character, and is visited at most once.
                assert len(visited) <= len(text)
                assert set(visited) <= IN_CONDITIONS
