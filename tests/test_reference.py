"""The reference pages say what the code does."""

from __future__ import annotations

from scripts.write_reference import CONFIGURATION, configuration_page


def test_the_configuration_page_is_what_the_code_says() -> None:
    assert CONFIGURATION.read_text("utf-8") == configuration_page(), "run `make docs`"
