"""What a component is given in markup is what it takes: the type checker does not look into `html`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from headrace.web.files import STATIC

COMPONENT = re.compile(r"^(?:export )?function ([A-Z]\w*)\((?:\{ (.*?) \}|(\w+))?\) \{$", re.M)
IMPORT = re.compile(r'^import \{ ([^}]+) \} from "(\.[^"]+)";$', re.M)
ATTRIBUTE = re.compile(r"\s*(?:(/?>)|(\.\.\.)|([\w-]+)(=?))")
ALWAYS = {"key", "children"}


def test_components_are_given_what_they_take() -> None:
    wrong = [
        f"{script.relative_to(STATIC)}: {name} does not take {prop}"
        for script in (STATIC / "js").rglob("*.js")
        for name, given in tags_of(script.read_text("utf-8"))
        for prop in given - (known_in(script).get(name) or given) - ALWAYS
    ]

    assert wrong == []


@cache
def known_in(script: Path) -> dict[str, set[str] | None]:
    """Components of a script, and those that it imports."""
    known = components_of(script)
    for names, module in IMPORT.findall(script.read_text("utf-8")):
        there = components_of((script.parent / module).resolve())
        known |= {name: there[name] for name in names.split(", ") if name in there}
    return known


def components_of(script: Path) -> dict[str, set[str] | None]:
    """Its components with the names of their props; None where a component takes them as one."""
    return {
        name: None if whole or "..." in props else {re.split(r"[:=]", prop)[0].strip() for prop in props.split(", ")}
        for name, props, whole in COMPONENT.findall(script.read_text("utf-8"))
    }


def tags_of(text: str) -> Iterator[tuple[str, set[str]]]:
    """Each component in markup with the attributes that are written out."""
    for tag in re.finditer(r"<\$\{(\w+)\}", text):
        at, given = tag.end(), set()
        while found := ATTRIBUTE.match(text, at):
            end, spread, name, value = found.groups()
            if end:
                break
            at = found.end()
            if name:
                given.add(name)
            if spread or value:
                at = end_of_value(text, at)
        yield tag[1], given


def end_of_value(text: str, start: int) -> int:
    """Behind `"…"` or `${…}`, whatever is nested in it."""
    if text[start] == '"':
        return text.index('"', start + 1) + 1
    depth, at = 0, start + 1
    while True:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            return at
