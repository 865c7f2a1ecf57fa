"""Which expressions are ours, and which are refused before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jmespath.visitor import TreeInterpreter

from headrace.errors import BadRequest
from headrace.model.template.expression import MAX_DEPTH, Expression, TemplateError, compile_condition, compile_value

SCOPE: dict[str, Any] = {
    "event": {"a": {"b": {"c": 7}}, "list": [1, [2, 3]], "a-b": "dash", "empty": "", "no": False},
    "trigger": {"name": "nightly"},
    "tenant": "acme",
    "scheduled_for": "2026-03-01T00:00:00Z",
}

Compile = Callable[[str], Expression]
EITHER = pytest.mark.parametrize("compiled", [compile_value, compile_condition])

ALLOWED: list[tuple[str, Any]] = [
    ("tenant", "acme"),
    ("scheduled_for", "2026-03-01T00:00:00Z"),
    ("trigger.name", "nightly"),
    ("event.a.b.c", 7),
    ("  event . a.b\n", {"c": 7}),
    ('event."a-b"', "dash"),
    ('"event".a.b.c', 7),
    ("event.list[0]", 1),
    ("event.list[-1]", [2, 3]),
    ("event.list[1][0]", 2),
    ("event.list[99999999999999999999999]", None),
    ("(event.list)[0]", 1),
    ("event.missing", None),
    ("event.a.missing.deeper[3].still", None),
    ("tenant.a", None),
    ("`null`", None),
    ("`5`", 5),
    ("`-1.5e3`", -1500.0),
    ("`true`", True),
    ('`"text"`', "text"),
    ('`{"a": [1, "}}"]}`', {"a": [1, "}}"]}),
    (r'`"a\`b"`', "a`b"),
    ("'text'", "text"),
    (r"'it\'s'", "it's"),
    ("'`'", "`"),
    ("event.missing || 'other'", "other"),
    ("event.empty || event.no || `0`", 0),
    ("(event.missing || event.a).b.c", 7),
    ("event.empty || event.missing", None),
]

REFUSED = [
    ("event | trigger", "a pipe (|) is not allowed"),
    ("event || (trigger | tenant)", "a pipe (|) is not allowed"),
    ("event.list[*]", "a projection ([*], a slice or flattening) is not allowed"),
    ("event.*", "a projection (*) is not allowed"),
    ("*", "a projection (*) is not allowed"),
    ("event.list[?a == 'b']", "a filter ([?…]) is not allowed"),
    ("[?event]", "a filter ([?…]) is not allowed"),
    ("event.list[]", "slice or flattening) is not allowed"),
    ("event.list[0:1]", "slice or flattening) is not allowed"),
    ("event.list[0][0:1]", "a slice ([a:b]) is not allowed"),
    ("[event, trigger]", "a multi-select ([a, b]) is not allowed"),
    ("event.[a, b]", "a multi-select ([a, b]) is not allowed"),
    ("{a: event}", "a multi-select ({a: b}) is not allowed"),
    ("event.{a: b}", "a multi-select ({a: b}) is not allowed"),
    ("&event", "a reference (&) is not allowed"),
    ("@", "@ (the whole scope) is not allowed"),
    ("event || @.event", "@ (the whole scope) is not allowed"),
    ("[0]", "an index into the whole scope is not allowed"),
]

NOT_JMESPATH = [
    ("", "it is empty"),
    (" \n", "it is empty"),
    ("event.", "it is not JMESPath where it ends"),
    ("event ||", "it is not JMESPath where it ends"),
    ("(event", "it is not JMESPath where it ends"),
    ("event..a", "it is not JMESPath at character 7"),
    ("  event..a", "it is not JMESPath at character 7"),
    ("event a", "it is not JMESPath at character 7"),
    ("event.a-b", "it is not JMESPath at character 8"),
    ("event = 'a'", "it is not JMESPath at character 7"),
    ("event)", "it is not JMESPath at character 6"),
    ("🚰", "it is not JMESPath at character 1"),
    ("'open", "the ' at character 1 is never closed"),
    ("event || `5", "the ` at character 10 is never closed"),
    ('event."a\\', 'the " at character 7 is never closed'),
    ('event."\\x"', "it is not JMESPath at character 7"),
    ("`text`", "the literal `text` is not JSON; write '…' for text"),
    ("``", "the literal `` is not JSON"),
    ("`NaN`", "the literal `NaN` is not JSON"),
    ("`[-Infinity]`", "the literal `[-Infinity]` is not JSON"),
    ("`1e999`", "the literal `1e999` is not JSON"),
    ('`"\\u0000"`', "is not JSON"),
]

HOSTILE = {
    "the doubling pipe": "event" + " | [@[],@[]][]" * 22,
    "the doubling without a pipe": "[" * 12 + "event" + ",event]" * 12,
    "900 brackets": "[" * 900,
    "450 closed brackets": "[" * 450 + "]" * 450,
    "450 parentheses": "(" * 450 + "event" + ")" * 450,
    "21 parentheses": "(" * 21 + "event" + ")" * 21,
    "900 braces": "{" * 900,
    "not a number": "to_number('nan')",
    "a reference": "&event",
    "a slice by nothing": "event[::0]",
    "a slice of all by nothing": "[::0]",
    "a slice behind an index": "event[0][::0]",
    "900 negations": "!" * 900 + "event",
    "901 references": "&" * 901 + "event",
    "a deep literal": "`" + "[" * 900 + "`",
    "a long number": "event[" + "9" * 994,
    "a long text": "'" + "x" * 1_000 + "'",
    "a very long text": "event" + ".a" * 1_000_000,
    "a long chain of alternatives": " || ".join(["event"] * 21),
}


@EITHER
@pytest.mark.parametrize(("text", "value"), ALLOWED)
def test_an_allowed_expression_has_jmespaths_value(compiled: Compile, text: str, value: object) -> None:
    found = compiled(text).evaluate(SCOPE)
    assert found == value
    assert type(found) is type(value)


@EITHER
@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_could_loop_or_double_is_refused(compiled: Compile, text: str, reason: str) -> None:
    with pytest.raises(TemplateError) as caught:
        compiled(text)
    assert str(caught.value).startswith(f'expression "{text}": ')
    assert str(caught.value).endswith(reason)


@EITHER
@pytest.mark.parametrize(("text", "reason"), NOT_JMESPATH)
def test_what_is_not_jmespath_is_refused_with_its_place(compiled: Compile, text: str, reason: str) -> None:
    with pytest.raises(TemplateError) as caught:
        compiled(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@EITHER
@pytest.mark.parametrize("text", ["evnet.a", "a", "event.a || b", "(x).event", '"x y".a', "x[0]"])
def test_an_unknown_root_is_refused_with_the_known_ones(compiled: Compile, text: str) -> None:
    with pytest.raises(TemplateError, match="starts with one of event, trigger, tenant, scheduled_for"):
        compiled(text)


@EITHER
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_expression_is_refused_before_it_runs(
    compiled: Compile, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TreeInterpreter, "visit", lambda *_: pytest.fail("it was evaluated"))
    with pytest.raises(TemplateError) as caught:
        compiled(text)
    assert len(str(caught.value)) < 500


@EITHER
def test_the_limits_themselves_are_within(compiled: Compile) -> None:
    assert compiled("(" * MAX_DEPTH + "event" + ")" * MAX_DEPTH).evaluate({"event": 1}) == 1
    assert compiled(" || ".join(["event"] * MAX_DEPTH)).evaluate({"event": 1}) == 1
    assert compiled("'" + "x" * 998 + "'").evaluate({}) == "x" * 998
    assert compiled("event" + ".a" * 497).evaluate(SCOPE) is None


def test_an_error_is_a_bad_request_whose_text_can_be_stored() -> None:
    with pytest.raises(BadRequest) as caught:
        compile_value("event.\x00\ud800")
    assert (caught.value.code, caught.value.status) == ("invalid_template", 422)
    assert "\x00" not in str(caught.value)
    assert str(caught.value).encode("utf-8")


@pytest.mark.parametrize(
    ("text", "may_be"),
    [("event.a", False), ("`null`", False), ("event.a || `null`", True), ("(event.a || event.b).c", False)],
)
def test_null_is_asked_for_with_an_alternative_at_the_top(text: str, may_be: bool) -> None:
    assert compile_value(text).may_be_null is may_be
