"""tests/README.md maps every promise to the test that proves it; this keeps the map true."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from headrace.model.job.status import NEXT

TESTS = Path(__file__).parent
ROW = re.compile(r"^\| (?P<id>[RTP]\S*|\w+ → \w+) \| (?P<promise>.+?) \| (?P<proof>.+?) \|$", re.MULTILINE)
REFERENCE = re.compile(r"`(?P<file>[\w/]+\.py)::(?P<test>test_\w+)`")
MEASURED = "measured by `make bench`"


@cache
def rows() -> dict[str, str]:
    """Every promise's id and its proof."""
    return {row["id"]: row["proof"] for row in ROW.finditer((TESTS / "README.md").read_text("utf-8"))}


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests in a file."""
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    names = {node.name for node in ast.walk(tree) if isinstance(node, functions)}
    # A Hypothesis state machine's test is an assignment.
    names |= {
        t.id for node in ast.walk(tree) if isinstance(node, ast.Assign) for t in node.targets if isinstance(t, ast.Name)
    }
    return frozenset(names)


def test_every_rule_pitfall_and_transition_has_a_proof() -> None:
    rules, pitfalls = [f"R{n}" for n in range(1, 18)], [f"P{n}" for n in range(1, 44)]
    transitions = [f"{a} → {b}" for a, nexts in NEXT.items() for b in sorted(nexts)]
    assert [promise for promise in (*rules, *pitfalls, *transitions) if promise not in rows()] == []
    assert [transition for transition in transitions if not REFERENCE.search(rows()[transition])] == []


def test_every_proof_is_a_test_that_exists_or_says_what_it_waits_for() -> None:
    wrong = []
    for promise, proof in rows().items():
        references = list(REFERENCE.finditer(proof))
        if not references and proof != MEASURED:
            wrong.append(f"{promise}: {proof!r} names no test")
        wrong += [
            f"{promise}: there is no {reference['file']}::{reference['test']}"
            for reference in references
            if not (TESTS / reference["file"]).exists() or reference["test"] not in names_in(reference["file"])
        ]
    assert wrong == []
