"""Python is written once: no run of six lines stands in two layers, but for those that were looked at."""

from __future__ import annotations

from pathlib import Path

from scripts.repeated_lines import SHORTEST, Run, repeated

import headrace

SOURCE = Path(headrace.__file__).parent
# The API promises these fields: a column that the service comes to read is not published with it.
ANSWERS = {
    ("alerts/targets.py", "api/routes/alerts/targets.py"),
    ("model/trigger/record.py", "api/routes/triggers/responses.py"),
    ("service/jobs/records.py", "api/routes/jobs/responses.py"),
    ("service/jobs/summary.py", "api/routes/jobs/responses.py"),
    ("service/tokens/service.py", "api/routes/admin/tokens.py"),
    ("service/workers/service.py", "api/routes/admin/workers.py"),
}
REASONS = {
    **dict.fromkeys(ANSWERS, "an answer of the API names its fields itself"),
}


def layers(run: Run) -> tuple[str, str]:
    one, other = (place.file.relative_to(SOURCE) for place in (run.one, run.other))
    return one.parts[0], other.parts[0]


def files(run: Run) -> frozenset[str]:
    return frozenset(str(place.file.relative_to(SOURCE)) for place in (run.one, run.other))


def test_no_run_of_lines_stands_in_two_layers_without_a_reason() -> None:
    runs = [run for run in repeated(sorted(SOURCE.rglob("*.py"))) if len(set(layers(run))) == 2]
    known = {frozenset(pair) for pair in REASONS}
    assert [str(run) for run in runs if files(run) not in known] == []
    assert {tuple(pair) for pair in known - {files(run) for run in runs}} == set()


def test_imports_do_not_count(tmp_path: Path) -> None:
    imports = [f"from x{n} import (\n    y{n},\n)" for n in range(SHORTEST)]
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("\n".join([*imports, "a = 1"]))
    other.write_text("\n".join([*imports, "a = 2"]))
    assert repeated([one, other]) == []
