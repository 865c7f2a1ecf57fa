"""docs/where.md and ARCHITECTURE.md are true: what they name is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "headrace"
WHERE = ROOT / "docs" / "where.md"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
ROW = re.compile(r"^\| (?P<question>[^|]+\?) \| (?P<answer>[^|]+) \|$", re.MULTILINE)
PLACE = re.compile(r"`(?P<path>[\w./]+(?:/|\.\w+))`(?: \(`(?P<name>\w+)`\))?")
MOST_LINES = 130


class Named(NamedTuple):
    """A place that an answer names."""

    question: str
    path: str
    name: str | None


def rows() -> dict[str, list[Named]]:
    """Each question and the places of its answer."""
    found = ROW.finditer(WHERE.read_text("utf-8"))
    return {
        row["question"]: [Named(row["question"], *m.group(1, 2)) for m in PLACE.finditer(row["answer"])]
        for row in found
    }


def missing(places: list[Named]) -> Iterator[str]:
    for question, path, name in places:
        files = [base / path for base in (SOURCE, ROOT) if (base / path).exists()]
        if not files:
            yield f"{question} There is no {path}"
        elif name is not None and not defines(files[0].read_text("utf-8"), name):
            yield f"{question} {path} defines no {name}"


def defines(text: str, name: str) -> bool:
    """Whether a module, a script or a file of SQL makes something of that name."""
    made = rf"(?:def|class|const|-- name:) {name}\b|^{name}\b.*=|^create or replace function headrace\.{name}\("
    return re.search(made, text, re.MULTILINE) is not None


def test_at_least_twenty_questions_have_an_answer_in_one_or_two_places_that_exist() -> None:
    answers = rows()
    assert len(answers) >= 20
    assert {question: places for question, places in answers.items() if not 1 <= len(places) <= 2} == {}
    assert [problem for places in answers.values() for problem in missing(places)] == []


def test_every_row_of_the_page_is_understood() -> None:
    lines = [line for line in WHERE.read_text("utf-8").splitlines() if line.startswith("| ") and "look in" not in line]
    assert [line for line in lines if not ROW.fullmatch(line)] == []


def test_the_architecture_is_a_page_that_leads_on_and_names_every_table() -> None:
    text = ARCHITECTURE.read_text("utf-8")
    assert text.count("\n") < MOST_LINES
    assert "(docs/where.md)" in text
    named = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    schema = (SOURCE / "db" / "schema.sql").read_text("utf-8")
    # Partitions are made from these as time goes by, and have no line of their own.
    assert named == set(re.findall(r"^create (?:unlogged )?table headrace\.(\w+) ", schema, re.MULTILINE))
