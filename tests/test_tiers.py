"""`tiers.py` names tests that exist."""

from __future__ import annotations

import pytest
from tests.test_matrix import names_in
from tests.tiers import FOLDER, ON_EVERY_VERSION, OVER_EVERY_TRANSPORT, QUICK, THOROUGH, UNDER_ROLES


@pytest.mark.parametrize("names", [ON_EVERY_VERSION, OVER_EVERY_TRANSPORT, THOROUGH, QUICK, tuple(UNDER_ROLES)])
def test_every_name_is_that_of_a_folder_a_file_or_a_test(names: tuple[str, ...]) -> None:
    assert [name for name in names if not _is_there(name)] == []


def _is_there(name: str) -> bool:
    file, _, test = name.partition("::")
    if not test or not (FOLDER / file).is_file():
        return (FOLDER / file).exists()
    return any(found.startswith(test.partition("[")[0]) for found in names_in(file))
