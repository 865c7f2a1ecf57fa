"""The list of attacks leads to tests that exist, and every test of this folder is on the list."""

from __future__ import annotations

from pathlib import Path

from tests.security.attacks import ATTACKS
from tests.test_matrix import names_in

HERE = Path(__file__).parent


def test_every_attack_has_tests_that_exist() -> None:
    wrong = []
    for attack in ATTACKS:
        for test in attack.tests:
            file, _, name = test.partition("::")
            if not (HERE.parent / file).exists() or (name and name not in names_in(file)):
                wrong.append(f"{attack.name}: there is no {test}")
    assert wrong == []
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS), "two attacks share a name"


def test_every_test_of_this_folder_belongs_to_an_attack() -> None:
    listed = {test.partition("::")[0] for attack in ATTACKS for test in attack.tests}
    files = {f"security/{path.relative_to(HERE)}" for path in HERE.rglob("test_*.py")} - {"security/test_attacks.py"}
    assert files - listed == set()
