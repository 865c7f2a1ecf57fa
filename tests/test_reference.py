"""The reference pages say what the code does."""

from __future__ import annotations

from scripts.api_reference import api_page
from scripts.write_reference import API, CONFIGURATION, configuration_page


def test_the_configuration_page_is_what_the_code_says() -> None:
    assert CONFIGURATION.read_text("utf-8") == configuration_page(), "run `make docs`"


def test_the_api_page_is_what_the_code_says() -> None:
    assert API.read_text("utf-8") == api_page(), "run `make docs`"
