"""On which line of a TOML file each key stands, for messages that lead there."""

from __future__ import annotations

import re

_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_NAME = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"[ \t]*\[{{1,2}}[ \t]*({_NAME})[ \t]*\]{{1,2}}")
_KEY = re.compile(rf"[ \t]*({_NAME})[ \t]*=")
_PARTS = re.compile(_PART)
# What a value may hold that is not to be taken for its end: texts, comments, brackets, and the ends of lines.
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""' + r"|'''.*?'''" + r'|"(?:\\.|[^"\\\n])*"' + r"|'[^'\n]*'|#[^\n]*|[\[\]{}]|\n", re.DOTALL
)


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and each table of a valid file."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    at = 0
    while at < len(text):
        number = text.count("\n", 0, at) + 1
        if header := _HEADER.match(text, at):
            table = _path(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(text, at):
            path = _path(key[1])
            for n in range(1, len(path) + 1):
                lines.setdefault((*table, *path[:n]), number)
        at = _end_of_statement(text, header.end() if header else at)
    return lines


def _end_of_statement(text: str, at: int) -> int:
    """Behind the end of the line on which all brackets are closed again."""
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if token[0] == "\n" and depth <= 0:
            return token.end()
    return len(text)


def _path(name: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PARTS.findall(name))
