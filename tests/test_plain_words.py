"""Text for users has the glossary's words, and none that a reader cannot search for or translate back."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "headrace"

# A word or phrase, and what to write instead.
BANNED = {
    r"told": "who learns it, and how: 'gets a notice', 'is reported in the log'",
    r"said": "the noun: the value, the line, the answer",
    r"hears?": "'gets' or 'learns'",
    r"will do": "'is enough'",
    r"so many": "the number's own name, or 'at most N'",
    r"such": "the noun itself, or 'for example'",
    r"whoever": "the process or the person",
    r"none of it": "what exactly is not there",
    r"nobody's|somebody's": "whose it is",
    r"looks after": "'maintains'",
    r"come(s)? to nothing|came to nothing": "'makes no jobs'",
    r"unspent": "'without using up an attempt'",
    r"for good": "'no further attempt', or 'permanently'",
    r"(a|each|every|per|one|first|last|next|another|of|\d+) (try|tries)": "'attempt'",
    r"bulk changes?": "'bulk operation'",
    r"let go": "what happens: 'removed', 'closed'",
    r"stands? still": "'is stopped' or 'is frozen'",
    r"lies? in wait|bears?": "'has'",
    r"(it|they) (goes|go) (on|when|whole|by itself)": "the noun with 'continues', 'is removed'",
    r"goes on|go on": "'continues'",
    r"says? no": "'refuses'",
    r"ledger": "'fires'",
    r"slug": "'tenant'",
    r"definition_key": "'definition', or 'key' on the definition itself",
    r"payload_template": "'payload'",
    r"interval_seconds": "'every_seconds'",
}
# Also refused where they stand as code.
NAMES = ("ledger", "slug", "definition_key", "payload_template", "interval_seconds")

LOGGED = {"debug", "info", "warning", "error", "exception", "critical"}
# An event is a noun and what happened to it.
PARTICIPLE = re.compile("[a-z]+ed|begun|built|found|given|held|kept|left|lost|made|read|run|sent|shut")
SENTENCE = re.compile("it|they|this|that|goes?|will|can|cannot|not|is|are|was|were")
PRINTS = {"said", "note", "echo"}

# Where a text stands, and the text.
Texts = Iterator[tuple[str, str]]


def pages() -> Texts:
    """Every paragraph that users read, the generated reference pages of API, CLI and configuration included."""
    found = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "examples/README.md", SOURCE / "web/README.md"]
    found += [page for page in (ROOT / "docs").rglob("*.md") if "decisions" not in page.parts]
    for page in found:
        place = str(page.relative_to(ROOT))
        for paragraph in re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.M | re.S).split("\n\n"):
            yield place, paragraph


def errors() -> Texts:
    """Every sentence in a `raise`, and what an error with a code says by itself."""
    for place, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and node.exc is not None:
                yield from sentences(place, node.exc)
            elif isinstance(node, ast.ClassDef) and "code" in names_set(node):
                yield f"{place}:{node.lineno}", ast.get_docstring(node) or ""


def printed() -> Texts:
    """What commands print."""
    for place, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PRINTS:
                yield from (text for argument in node.args[:1] for text in sentences(place, argument))


def sentences(place: str, tree: ast.AST) -> Texts:
    for part in ast.walk(tree):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value:
            yield f"{place}:{part.lineno}", part.value


def names_set(node: ast.ClassDef) -> set[str]:
    targets = [one for line in node.body if isinstance(line, ast.Assign) for one in line.targets]
    return {name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)}


def events() -> Texts:
    """Every event of our own log."""
    for place, tree in modules():
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id="log"), attr=level),
                    args=[ast.Constant(value=str(event)), *_],
                ) if level in LOGGED:
                    yield f"{place}:{node.lineno}", event


def screens() -> Texts:
    """Texts between tags and in quotes with a blank, as far as a line shows them."""
    for script in sorted((SOURCE / "web/static/js").rglob("*.js")):
        for number, line in enumerate(script.read_text("utf-8").splitlines(), 1):
            if not line.lstrip().startswith(("*", "/*", "//", "import ")):
                for text in re.findall(
                    r">([^<>{}`]{3,})<|\"([^\"]* [^\"]*)\"|=\"([^\"]+)\"", line.partition(" // ")[0]
                ):
                    yield f"{script.relative_to(SOURCE)}:{number}", " ".join(text)


def sql_errors() -> Texts:
    """What functions of the database raise."""
    for script in sorted((SOURCE / "db/functions").glob("*.sql")):
        for number, line in enumerate(script.read_text("utf-8").splitlines(), 1):
            code, _, _ = line.partition("--")
            for text in re.findall(r"'((?:[^']|'')* (?:[^']|'')*)'", code):
                yield f"{script.relative_to(SOURCE)}:{number}", text


@cache
def modules() -> list[tuple[str, ast.Module]]:
    return [
        (str(file.relative_to(SOURCE)), ast.parse(file.read_text("utf-8"))) for file in sorted(SOURCE.rglob("*.py"))
    ]


SURFACES: dict[str, Callable[[], Texts]] = {
    "pages": pages,
    "events": events,
    "errors": errors,
    "printed": printed,
    "sql": sql_errors,
    "screens": screens,
}


def banned(text: str) -> Iterator[str]:
    """What is wrong with a text; code in it may have any name that is in use."""
    prose = re.sub(r"\]\([^)]*\)|`[^`]*`", " ", " ".join(text.split()))
    for pattern, instead in BANNED.items():
        where = text if pattern in NAMES else prose
        if found := re.search(rf"(?i)(?<![\w-])({pattern})(?![\w-])", where):
            yield f"'{found[0]}': write {instead}"


@pytest.mark.parametrize("surface", SURFACES)
def test_text_for_users_has_plain_words(surface: str) -> None:
    texts = list(SURFACES[surface]())
    assert len(texts) > 40, "nothing is found any more"
    assert [f"{place}: {problem}" for place, text in texts for problem in banned(text)] == []


def test_an_event_of_the_log_is_a_noun_and_what_happened() -> None:
    for place, event in events():
        clause = re.split(r"[:;,]", event)[0].split()
        assert 2 <= len(clause) <= 7, (place, event)
        assert not any(SENTENCE.fullmatch(word) for word in clause), (place, event)
        assert any(PARTICIPLE.fullmatch(word) for word in clause[1:]), (place, event)


def test_the_words_are_found() -> None:
    assert [*banned("no such job: tried in 3 tries")] == [
        "'such': write the noun itself, or 'for example'",
        "'3 tries': write 'attempt'",
    ]
    assert [*banned("`such` is code, and nuchal is a word")] == []
    assert [*banned("`definition_key`")] == ["'definition_key': write 'definition', or 'key' on the definition itself"]
