"""Payloads with placeholders, and conditions: what a trigger says about an event, checked once and filled in often."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headrace.model.template.budget import Budget, OverBudget
from headrace.model.template.expression import (
    Expression,
    TemplateError,
    compile_condition,
    compile_value,
    describe,
    quote_end,
)
from headrace.model.text import MAX_RESULT, NotJsonError, to_json

MAX_PLACEHOLDERS = 50
MAX_NESTING = 20

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


@dataclass(frozen=True, slots=True)
class Condition:
    """A question to an event that has an answer."""

    expression: Expression

    @classmethod
    def compile(cls, text: str) -> Condition:
        """A new condition, or `TemplateError` saying what it must not use or has too much of."""
        condition = cls.read(text)
        condition.expression.check_calls()
        return condition

    @classmethod
    def read(cls, text: str) -> Condition:
        """A stored condition, which may be older than the bound on function calls."""
        return cls(compile_condition(text))

    def holds(self, scope: Mapping[str, Any], budget: Budget | None = None) -> bool:
        """Whether it is true as JMESPath sees it: 0 is; null, false and anything empty are not."""
        value = self.expression.evaluate(scope, budget)
        return not (value is None or value is False or (isinstance(value, str | list | dict) and not value))


@dataclass(frozen=True, slots=True)
class _Filled:
    """A string of the payload with at least one placeholder, and where it stands."""

    path: str
    parts: tuple[str | Expression, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """A payload whose strings may hold `{{ expression }}`; `{{{{` writes two braces."""

    _tree: dict[str, Any]
    placeholders: int

    @classmethod
    def compile(cls, payload: Mapping[str, Any]) -> Template:
        """The template, or `TemplateError` naming the place in the payload and what is wrong there."""
        plain, _ = _as_json("payload", payload)
        if not isinstance(plain, dict):
            raise TemplateError(f"payload: must be an object, not {type(payload).__name__}")
        compiler = _Compiler()
        tree = compiler.compile(plain, "payload", 1)
        return cls(tree, compiler.placeholders)

    @property
    def is_constant(self) -> bool:
        """Whether every scope gives the same payload."""
        return self.placeholders == 0

    def render(self, scope: Mapping[str, Any], budget: Budget | None = None) -> dict[str, Any]:
        """A payload of its own: nothing in it is shared with the template or the scope."""
        return self.render_json(scope, budget)[1]

    def render_json(self, scope: Mapping[str, Any], budget: Budget | None = None) -> tuple[str, dict[str, Any]]:
        """The same, as JSON text as well."""
        payload: dict[str, Any] = _Renderer(scope, Budget() if budget is None else budget).render(self._tree)
        try:
            return to_json(payload), payload
        except NotJsonError as error:
            raise TemplateError(f"payload: {error}") from None


class _Compiler:
    def __init__(self) -> None:
        self.placeholders = 0

    def compile(self, value: Any, path: str, depth: int) -> Any:
        """The value with each string that holds a placeholder made ready."""
        if isinstance(value, dict | list) and depth > MAX_NESTING:
            raise TemplateError(f"{path}: the payload nests deeper than {MAX_NESTING}")
        if isinstance(value, dict):
            return {key: self.compile(item, _member(path, key), depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.compile(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
        return self._compile_text(value, path) if isinstance(value, str) else value

    def _compile_text(self, text: str, path: str) -> str | _Filled:
        parts: list[str | Expression] = []
        try:
            for literal, expression in _pieces(text):
                if expression is None:
                    parts.append(literal)
                    continue
                self.placeholders += 1
                if self.placeholders > MAX_PLACEHOLDERS:
                    raise TemplateError(f"there are more than {MAX_PLACEHOLDERS} placeholders")
                parts += [literal, compile_value(expression)]
        except TemplateError as error:
            raise TemplateError(f"{path}: {error}") from None
        if all(isinstance(part, str) for part in parts):
            return "".join(map(str, parts))
        return _Filled(path, tuple(part for part in parts if part))


class _Renderer:
    def __init__(self, scope: Mapping[str, Any], budget: Budget) -> None:
        self._scope = scope
        self._budget = budget
        # Spent as values come in, so that fifty large ones are refused before they are all written out.
        # The quotes of a string count here, and vanish where it becomes part of a longer text.
        self._left = MAX_RESULT + 2 * MAX_PLACEHOLDERS

    def render(self, node: Any) -> Any:
        if isinstance(node, dict):
            return {key: self.render(item) for key, item in node.items()}
        if isinstance(node, list):
            return [self.render(item) for item in node]
        return self._fill(node) if isinstance(node, _Filled) else node

    def _fill(self, filled: _Filled) -> Any:
        match filled.parts:
            case (Expression() as alone,):
                return self._value(alone, filled.path)
            case parts:
                return "".join(part if isinstance(part, str) else self._text(part, filled.path) for part in parts)

    def _value(self, expression: Expression, path: str) -> Any:
        try:
            value = expression.evaluate(self._scope, self._budget)
        except TemplateError as error:
            raise TemplateError(f"{path}: {error}") from None
        if isinstance(value, bool | int):
            return value
        where = f"{path}: {describe(expression.text)}"
        if value is None and not expression.may_be_null:
            raise TemplateError(f"{where} found nothing; give it something to fall back on with ||")
        # Plain text is its own copy.
        is_plain = isinstance(value, str) and value.isascii() and "\0" not in value
        plain, size = (value, len(value) + 2) if is_plain else _as_json(where, value)
        self._left -= size
        if self._left < 0:
            raise TemplateError(f"{where} makes the payload larger than {MAX_RESULT:,} characters of JSON")
        try:
            self._budget.add_text(size)
        except OverBudget as error:
            raise TemplateError(f"{where} failed: {error}") from None
        return plain

    def _text(self, expression: Expression, path: str) -> str:
        value = self._value(expression, path)
        if isinstance(value, str):
            return value
        if value is None or isinstance(value, dict | list):
            kind = "null" if value is None else "an object" if isinstance(value, dict) else "an array"
            raise TemplateError(f"{path}: {describe(expression.text)} is {kind}, which cannot be part of a text")
        return json.dumps(value)


def _pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """What is written as it stands, each time with the expression that follows; none follows the last."""
    literal: list[str] = []
    at = 0
    while (start := text.find("{{", at)) >= 0:
        literal.append(text[at:start])
        if text.startswith("{{{{", start):
            literal.append("{{")
            at = start + 4
        else:
            at = _placeholder_end(text, start)
            yield "".join(literal), text[start + 2 : at - 2]
            literal = []
    yield "".join([*literal, text[at:]]), None


def _placeholder_end(text: str, start: int) -> int:
    at = start + 2
    while at < len(text) and not text.startswith("}}", at):
        end = quote_end(text, at) if text[at] in "'\"`" else at + 1
        if end < 0:
            quote = f"the {text[at]} at character {at + 1} inside it"
            raise TemplateError(f"the {{{{ at character {start + 1} is never closed, nor is {quote}")
        at = end
    if at >= len(text):
        raise TemplateError(f"the {{{{ at character {start + 1} is never closed")
    return at + 2


def _member(path: str, key: str) -> str:
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{json.dumps(key[:100])}]"


def _as_json(where: str, value: Any) -> tuple[Any, int]:
    """A copy of the value as JSON would give it back, and its length as JSON."""
    try:
        text = to_json(value)
        return json.loads(text), len(text)
    except (NotJsonError, ValueError, RecursionError) as error:
        raise TemplateError(f"{where}: {error}") from None
