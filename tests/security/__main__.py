"""`make redteam`: carry out every attack of the list, on this machine alone, and print what held.

Each test has a limit of its own, the run ends when all of them have, and nothing but loopback is spoken to.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from tests.security.attacks import ATTACKS, Attack

TESTS = Path(__file__).parents[1]


def attack_of(node_id: str) -> Attack | None:
    """The attack that a test belongs to."""
    name = node_id.removeprefix("tests/")
    return next((attack for attack in ATTACKS for test in attack.tests if is_part(name, test)), None)


def is_part(name: str, test: str) -> bool:
    """Whether a test is this one, one of its parameters, or one of this file."""
    return name == test or name.startswith((f"{test}::", f"{test}["))


class Tally:
    """How many cases each attack had, and how many held."""

    def __init__(self) -> None:
        self.cases: Counter[str] = Counter()
        self.held: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test that ran, or that did not come so far."""
        attack = attack_of(report.nodeid)
        if attack is None or (report.when != "call" and report.passed):
            return
        cases = int(str(dict(report.user_properties).get("cases", 1)))
        self.cases[attack.name] += cases
        self.held[attack.name] += cases if report.passed else 0

    def table(self) -> Table:
        """A row for each attack, and their sum."""
        table = Table("attack", "what must hold", title="make redteam")
        table.add_column("cases", justify="right")
        table.add_column("held", justify="right")
        for attack in ATTACKS:
            cases, held = self.cases[attack.name], self.held[attack.name]
            style = "" if cases and cases == held else "bold red"
            table.add_row(attack.name, attack.holds, f"{cases:,}", f"{held:,}", style=style)
        table.add_section()
        table.add_row("all", "", f"{self.cases.total():,}", f"{self.held.total():,}")
        return table


def main(arguments: list[str]) -> int:
    """Run the tests of all attacks."""
    tally = Tally()
    tests = dict.fromkeys(str(TESTS / test) for attack in ATTACKS for test in attack.tests)
    code = pytest.main([*tests, "--dist", "worksteal", *arguments], plugins=[tally])
    Console(width=120).print(tally.table())
    missing = [attack.name for attack in ATTACKS if not tally.cases[attack.name]]
    return int(code) or len(missing)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
