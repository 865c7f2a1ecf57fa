"""SQL is written once: no run of lines stands twice among its files."""

from __future__ import annotations

from pathlib import Path

from scripts.repeated_lines import SHORTEST, Place, repeated
from scripts.write_schema import SCHEMA

import headrace

SOURCE = Path(headrace.__file__).parent


def test_no_run_of_lines_stands_twice_among_sql_files() -> None:
    files = sorted(path for path in SOURCE.rglob("*.sql") if path != SCHEMA)
    assert len(files) > 50
    assert [str(run) for run in repeated(files)] == []


def test_a_run_is_found_in_one_file_and_in_two_whatever_its_indent(tmp_path: Path) -> None:
    one, other = tmp_path / "one.sql", tmp_path / "other.sql"
    lines = [f"select {n}" for n in range(SHORTEST)]
    one.write_text("\n".join(["a", *lines, "b", *lines, "c"]))
    other.write_text("\n\n".join(["d", *(f"  {line}" for line in lines), "b", "e"]))
    within, between = repeated([one, other])
    assert (within.one, within.other) == (Place(one, 3 + SHORTEST), Place(one, 2))
    assert (between.one, between.other) == (Place(other, 3), Place(one, 2))
    assert (list(within.lines), list(between.lines)) == (lines, [*lines, "b"])


def test_less_is_not_found_nor_what_goes_on_in_the_next_file(tmp_path: Path) -> None:
    lines = [f"select {n}" for n in range(SHORTEST)]
    files = [tmp_path / name for name in ("begin.sql", "end.sql", "whole.sql")]
    for file, part in zip(files, (lines[:2], lines[2:], lines), strict=True):
        file.write_text("\n".join(part))
    assert repeated(files) == []
