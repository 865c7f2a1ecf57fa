"""The part of JMESPath that triggers may use: nothing in it loops or doubles, and a budget bounds what it costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathTypeError, ParseError
from jmespath.parser import ParsedResult

from headrace.errors import BadRequest
from headrace.model.template.budget import Budget
from headrace.model.template.interpreter import CountingInterpreter
from headrace.model.text import clean, to_json

ROOTS = ("event", "trigger", "tenant", "scheduled_for")
MAX_LENGTH = 1_000
MAX_DEPTH = 20
MAX_CALLS = 20

# How many arguments each function takes; None is one or more.
FUNCTIONS = {"contains": 2, "starts_with": 2, "ends_with": 2, "length": 1, "to_string": 1, "not_null": None}
IN_VALUES = frozenset({"field", "subexpression", "index_expression", "index", "literal", "or_expression"})
IN_CONDITIONS = IN_VALUES | {"comparator", "and_expression", "not_expression", "function_expression"}
_AFTER_A_DOT = frozenset({"field", "index_expression", "index"})

_NAMES = {
    "and_expression": "&&",
    "comparator": "a comparison",
    "current": "@ (the whole scope)",
    "expref": "a reference (&)",
    "filter_projection": "a filter ([?…])",
    "flatten": "flattening ([])",
    "function_expression": "a function",
    "identity": "an index into the whole scope",
    "multi_select_dict": "a multi-select ({a: b})",
    "multi_select_list": "a multi-select ([a, b])",
    "not_expression": "!",
    "pipe": "a pipe (|)",
    "projection": "a projection ([*], a slice or flattening)",
    "slice": "a slice ([a:b])",
    "value_projection": "a projection (*)",
}


class TemplateError(BadRequest):
    """The template or condition is not valid, or does not fit what it was given."""

    code, status = "invalid_template", 422


class _Refused(Exception):
    """Why an expression is not one of ours."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was found allowed."""

    text: str
    # JMESPath cannot tell missing from null: only who ends in `||` has said that null is fine.
    may_be_null: bool
    _parsed: ParsedResult = field(repr=False, compare=False)
    # The names of one that only names a place, as nearly all do: found a dozen times faster without an interpreter.
    _path: tuple[str, ...] = field(default=(), repr=False, compare=False)
    calls: int = 0
    """How many function calls stand in it."""

    def check_calls(self) -> None:
        """Refuse one with too many function calls. Only where it is written: one that is stored keeps working."""
        if self.calls > MAX_CALLS:
            raise TemplateError(f"{describe(self.text)}: it has {self.calls} function calls (at most {MAX_CALLS})")

    def evaluate(self, scope: Mapping[str, Any], budget: Budget | None = None) -> Any:
        """The value in this scope, shared with it; null where nothing is there. Never without a budget."""
        budget = Budget() if budget is None else budget
        try:
            if self._path:
                return self._follow(scope, budget)
            return CountingInterpreter(budget).visit(self._parsed.parsed, scope)
        except Exception as error:
            # JMESPath lets TypeError, RecursionError and others through.
            raise TemplateError(f"{describe(self.text)} failed: {_reason(error)}") from None

    def _follow(self, scope: Mapping[str, Any], budget: Budget) -> Any:
        budget.add_steps(len(self._path))
        value: Any = scope
        for name in self._path:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def _reason(error: Exception) -> str:
    """What went wrong, without the value: it is of an event, and may be secret."""
    if isinstance(error, JMESPathTypeError):
        return f"{error.function_name}() takes {' or '.join(error.expected_types)}, not {error.actual_type}"
    return _one_line(error)


def compile_value(text: str) -> Expression:
    """The expression of a placeholder: fields, indexes, literals and `||`."""
    return _compile(text, IN_VALUES)


def compile_condition(text: str) -> Expression:
    """A condition: also comparisons, `&&`, `!`, parentheses and a few functions."""
    return _compile(text, IN_CONDITIONS)


def describe(text: str) -> str:
    """The expression as an error names it: never long, and always text that can be stored."""
    return f'expression "{_clip(text)}"'


def quote_end(text: str, start: int) -> int:
    """Where the quotation that opens at `start` is over, or -1: JMESPath quotes with ' " and `, and escapes with \\."""
    at = start + 1
    while at < len(text):
        if text[at] == text[start]:
            return at + 1
        at += 2 if text[at] == "\\" else 1
    return -1


def _compile(text: str, allowed: frozenset[str]) -> Expression:
    text = text.strip()
    try:
        _check_text(text)
        parsed = _parse(text)
        _check(parsed.parsed, allowed)
    except _Refused as refused:
        raise TemplateError(f"{describe(text)}: {refused}") from None
    tree = parsed.parsed
    return Expression(text, tree["type"] == "or_expression", parsed, _names(tree), _count_calls(tree))


def _count_calls(node: Mapping[str, Any]) -> int:
    return int(node["type"] == "function_expression") + sum(_count_calls(child) for child in node["children"])


def _names(node: Any) -> tuple[str, ...]:
    """The names of a plain path such as `event.a.b`, else none."""
    if node["type"] == "field":
        return (node["value"],)
    if node["type"] != "subexpression":
        return ()
    parts = [_names(child) for child in node["children"]]
    return tuple(name for part in parts for name in part) if all(parts) else ()


def _check_text(text: str) -> None:
    """What has to be known before JMESPath sees the text, which it may not survive."""
    if not text:
        raise _Refused("it is empty")
    if len(text) > MAX_LENGTH:
        raise _Refused(f"it has {len(text):,} characters (at most {MAX_LENGTH:,})")
    at = depth = 0
    while at < len(text):
        char = text[at]
        if char in "'\"`":
            end = quote_end(text, at)
            if end < 0:
                raise _Refused(f"the {char} at character {at + 1} is never closed")
            if char == "`":
                _check_json(text[at + 1 : end - 1].replace("\\`", "`"))
            at = end
            continue
        depth += (char in "([{") - (char in ")]}")
        if depth > MAX_DEPTH:
            raise _Refused(f"it nests deeper than {MAX_DEPTH}")
        at += 1


def _check_json(text: str) -> None:
    # JMESPath would take `text` for 'text', with a warning that may be an error; NaN it takes without one.
    try:
        to_json(json.loads(text))
    except (ValueError, RecursionError):
        raise _Refused(f"the literal `{_clip(text)}` is not JSON; write '…' for text") from None


def _parse(text: str) -> ParsedResult:
    try:
        return jmespath.compile(text)
    except RecursionError:
        raise _Refused(f"it nests deeper than {MAX_DEPTH}") from None
    except ParseError as error:
        place = f"at character {error.lex_position + 1}" if error.lex_position < len(text) else "where it ends"
        raise _Refused(f"it is not JMESPath {place}") from None
    except Exception as error:
        raise _Refused(f"it is not JMESPath: {_one_line(error)}") from None


def _check(node: Mapping[str, Any], allowed: frozenset[str], depth: int = 1, relative: bool = False) -> None:
    """Walk the tree and refuse what is not on the list; `relative` is what stands after a dot or bracket."""
    kind = node["type"]
    if depth > MAX_DEPTH:
        raise _Refused(f"it nests deeper than {MAX_DEPTH}")
    if kind not in allowed:
        raise _Refused(f"{_NAMES.get(kind, kind)} is not allowed")
    if relative and kind not in _AFTER_A_DOT:
        raise _Refused(f"{_NAMES.get(kind, kind)} is not allowed after a dot")
    _check_value(kind, node, relative)
    for number, child in enumerate(node["children"]):
        follows = kind in {"subexpression", "index_expression"} and (number > 0 or relative)
        _check(child, allowed, depth + 1, follows)


def _check_value(kind: str, node: Mapping[str, Any], relative: bool) -> None:
    value, children = node.get("value"), node["children"]
    if kind == "field" and not relative and value not in ROOTS:
        raise _Refused(f'there is no "{_clip(str(value))}"; an expression starts with one of {", ".join(ROOTS)}')
    if kind == "subexpression" and children[0]["type"] == "not_expression":
        # JMESPath reads `!a.b` as `(!a).b`, which is always null.
        raise _Refused("! takes only the first name; put what follows it in parentheses, as in !(event.a)")
    if kind == "function_expression":
        _check_call(str(value), len(children))


def _check_call(name: str, arguments: int) -> None:
    if name not in FUNCTIONS:
        raise _Refused(f"the function {_clip(name)}() is not allowed, only {', '.join(FUNCTIONS)}")
    expected = FUNCTIONS[name]
    if arguments != expected if expected else arguments < 1:
        raise _Refused(f"{name}() takes {expected or 'at least 1'} argument(s), not {arguments}")


def _one_line(error: Exception) -> str:
    try:
        text = " ".join(str(error).split())
    except Exception:
        # It names a value that is too deep to print.
        text = ""
    return _clip(text or type(error).__name__, 200)


def _clip(text: str, limit: int = 100) -> str:
    shown = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return clean(shown, 10 * limit)
