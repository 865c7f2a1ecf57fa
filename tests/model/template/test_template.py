"""How a payload with placeholders is read and filled in."""

from __future__ import annotations

import json
import math
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.model.template.expression import ROOTS, TemplateError
from headrace.model.template.template import MAX_NESTING, MAX_PLACEHOLDERS, Template
from headrace.model.text import MAX_RESULT

EVENT = {"path": "/in/a.csv", "n": 5, "half": 0.5, "one": 1.0, "yes": True, "no": False, "null": None}
EVENT |= {"tags": ["a", "b"], "box": {"w": 1}, "nan": math.nan, "nul": "\x00", "braces": "{{event.n}}", "}}": "closed"}
SCOPE: dict[str, Any] = {"event": EVENT, "tenant": "acme"}


def render(text: str, scope: dict[str, Any] = SCOPE) -> Any:
    return Template.compile({"v": text}).render(scope)["v"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ event.n }}", 5),
        ("{{\nevent.half\n}}", 0.5),
        ("{{event.yes}}", True),
        ("{{event.tags}}", ["a", "b"]),
        ("{{event.box}}", {"w": 1}),
        ("{{`5`}}", 5),
        ("{{'5'}}", "5"),
        ("{{event.null || `null`}}", None),
        ("{{event.missing || event.null}}", None),
        ("{{event.no || `[]`}}", []),
    ],
)
def test_a_placeholder_alone_keeps_the_type(text: str, value: object) -> None:
    assert render(text) == value
    assert type(render(text)) is type(value)


def test_placeholders_in_a_text_become_text() -> None:
    assert render("in {{event.path}}!") == "in /in/a.csv!"
    assert render("{{event.n}}{{event.n}}") == "55"
    assert render("{{event.n}}\n") == "5\n"
    assert render("{{event.half}} {{event.one}}") == "0.5 1.0"
    assert render("{{event.yes}} {{event.no}}") == "true false"
    assert render("{{event.missing || ''}}.") == "."
    assert render("{{event.n}}}") == "5}"
    assert render("<{{event.braces}}>") == "<{{event.n}}>"
    assert render("zażółć {{tenant}} 🚰") == "zażółć acme 🚰"


def test_braces_inside_quotes_do_not_close_a_placeholder() -> None:
    assert render("{{event.x || '}}'}}") == "}}"
    assert render("{{event.x || '{{'}}") == "{{"
    assert render(r"{{event.x || 'it\'s }}'}}") == "it's }}"
    assert render('{{event."}}"}}') == "closed"
    assert render('{{event.x || `{"a": {"b": 1}}`}}') == {"a": {"b": 1}}
    assert render(r'{{event.x || `"}}\`"`}}') == "}}`"
    assert render("{{event.x || '\"`'}}") == '"`'


def test_four_braces_write_two() -> None:
    constant = Template.compile({"a": "{{{{", "b": "{{{{event.n}}", "c": "a {{{{{{{{ b", "d": "}} { } it's `"})
    assert constant.render({}) == {"a": "{{", "b": "{{event.n}}", "c": "a {{{{ b", "d": "}} { } it's `"}
    assert constant.is_constant
    assert render("{{{{{{event.n}}") == "{{5"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{event.missing}}", ': expression "event.missing" found nothing; give it something to fall back on with ||'),
        ("x{{event.null}}", ': expression "event.null" found nothing'),
        ("x{{event.null || `null`}}", "is null, which cannot be part of a text"),
        ("x{{event.box}}", ': expression "event.box" is an object, which cannot be part of a text'),
        ("{{event.tags}}{{event.n}}", ': expression "event.tags" is an array, which cannot be part of a text'),
        ("{{event.nan}}", "not JSON compliant"),
        ("{{event.nul}}", "text with a NUL character cannot be kept as JSON"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error_that_says_where(text: str, reason: str) -> None:
    template = Template.compile({"filter": {"path": ["", text]}})
    with pytest.raises(TemplateError) as caught:
        template.render(SCOPE)
    assert str(caught.value).startswith('payload.filter.path[1]: expression "')
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ab {{event", "the {{ at character 4 is never closed"),
        ("{{it's}}", "the {{ at character 1 is never closed, nor is the ' at character 5 inside it"),
        ("{{}}", 'expression "": it is empty'),
        ("{{{event.n}}}", 'expression "{event.n": it is not JMESPath at character 7'),
        ("{{event.n | tenant}}", 'expression "event.n | tenant": a pipe (|) is not allowed'),
        ("{{file.path}}", 'there is no "file"; an expression starts with one of event, trigger, tenant, scheduled_for'),
    ],
)
def test_what_is_wrong_is_told_when_the_template_is_made(text: str, reason: str) -> None:
    with pytest.raises(TemplateError) as caught:
        Template.compile({"a b": [{"c": text}]})
    assert str(caught.value).startswith('payload["a b"][0].c: ')
    assert str(caught.value).endswith(reason)


def test_keys_are_left_alone() -> None:
    assert Template.compile({"{{event.n}}": "{{event.n}}", "{{": 1}).render(SCOPE) == {"{{event.n}}": 5, "{{": 1}


def test_a_rendered_payload_shares_nothing() -> None:
    scope = {"event": {"tags": [["a"]]}}
    template = Template.compile({"list": [[]], "tags": "{{event.tags}}", "default": "{{event.x || `[[]]`}}"})
    for changed in template.render(scope).values():
        changed[0].append("changed")
    assert template.render(scope) == {"list": [[]], "tags": [["a"]], "default": [[]]}


def test_at_most_fifty_placeholders_are_taken() -> None:
    full = Template.compile({"a": "{{event.n}}" * 20, "b": ["{{event.n}}"] * (MAX_PLACEHOLDERS - 20)})
    assert full.render(SCOPE) == {"a": "5" * 20, "b": [5] * 30}
    with pytest.raises(TemplateError, match=r"payload\.b\[30\]: there are more than 50 placeholders"):
        Template.compile({"a": "{{event.n}}" * 20, "b": ["{{event.n}}"] * (MAX_PLACEHOLDERS - 19)})


def test_a_payload_nests_at_most_twenty_deep() -> None:
    def nested(depth: int) -> Any:
        return {"a": nested(depth - 1)} if depth else "{{event.n}}"

    assert not Template.compile(nested(MAX_NESTING)).is_constant
    with pytest.raises(TemplateError, match=r"payload(\.a){20}: the payload nests deeper than 20"):
        Template.compile(nested(MAX_NESTING + 1))


@pytest.mark.parametrize("payload", [{"a": math.inf}, {"a": {1}}, {"a": "x" * MAX_RESULT}, {"a": "\x00"}, ["a"]])
def test_what_is_no_json_object_is_no_template(payload: Any) -> None:
    with pytest.raises(TemplateError, match=r"^payload: "):
        Template.compile(payload)


@pytest.mark.parametrize("text", ["{{event.big}}", "{{event.big}}" * 8, "x{{event.big}}"])
def test_a_payload_is_at_most_a_megabyte(text: str) -> None:
    fits = MAX_RESULT - len('{"v":""}') - text.count("x")
    each = fits // text.count("{{")
    assert len(render(text, {"event": {"big": "b" * each}})) == fits + text.count("x")
    with pytest.raises(TemplateError, match="characters"):
        render(text, {"event": {"big": "b" * (each + 1)}})


def test_many_large_values_are_refused_before_they_are_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    template = Template.compile({"a": ["{{event}}"] * MAX_PLACEHOLDERS})
    monkeypatch.setattr(json, "dumps", dumps := Mock(wraps=json.dumps))
    with pytest.raises(TemplateError, match=r'payload\.a\[2\]: expression "event" makes the payload larger than 1,0'):
        template.render({"event": ["x" * (MAX_RESULT // 2 - 100)]})
    assert dumps.call_count == 3


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
plain_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


def json_of(leaves: st.SearchStrategy[Any], keys: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    nested = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3))
    return st.dictionaries(keys, nested, max_size=3)


@settings(deadline=None)
@given(json_of(scalars | plain_text.filter(lambda text: "{{" not in text), plain_text))
def test_a_template_without_placeholders_renders_to_itself(payload: dict[str, Any]) -> None:
    template = Template.compile(payload)
    assert template.is_constant
    assert template.render({}) == payload


expressions = st.sampled_from(["event", "event.a", "event.a[0]", "tenant || `null`", "event.b || '}}'", "nope", "a'"])
pieces = expressions.map("{{{{{}}}}}".format) | st.sampled_from(["{{{{", "{{", "}}", "x"]) | st.text(max_size=5)
texts = st.lists(pieces, max_size=4).map("".join)


@settings(deadline=None)
@given(
    json_of(texts, st.text("ab{}")),
    st.dictionaries(st.sampled_from(ROOTS), json_of(scalars | st.floats() | st.text(), st.sampled_from("ab"))),
)
def test_rendering_gives_json_or_a_template_error(payload: dict[str, Any], scope: dict[str, Any]) -> None:
    before = repr(scope)
    try:
        rendered = Template.compile(payload).render(scope)
        assert json.loads(json.dumps(rendered, allow_nan=False)) == rendered
    except TemplateError as error:
        assert str(error).encode("utf-8").startswith(b"payload")  # noqa: PT017
    assert repr(scope) == before
