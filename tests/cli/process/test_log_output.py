"""What lines of our own look like, for people and for programs."""

from __future__ import annotations

import logging

import pytest

from headrace.cli.process.log_output import ForPeople, ForPrograms

FORMATS = [ForPeople(colours=False), ForPeople(colours=True), ForPrograms()]


@pytest.mark.parametrize("form", FORMATS, ids=["people", "colours", "programs"])
def test_an_error_is_shown_without_the_variables_around_it(
    form: logging.Formatter, caplog: pytest.LogCaptureFixture
) -> None:
    hidden = "correct-horse-battery"
    try:
        raise ValueError(f"it broke after {len(hidden)}")
    except ValueError:
        logging.getLogger("shop").exception("failed")

    said = form.format(caplog.records[-1])

    assert "ValueError: it broke after 21" in said
    assert "test_an_error_is_shown" in said
    assert hidden not in said
