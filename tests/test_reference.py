"""The reference pages say what the code does."""

from __future__ import annotations

from scripts.api_reference import api_page
from scripts.api_types import api_types
from scripts.cli_reference import cli_page, commands, example_of
from scripts.enqueue_options import ENQUEUE_OPTIONS, enqueue_options
from scripts.settings_reference import settings_pages
from scripts.write_reference import API, API_TYPES, CLI, CONFIGURATION, configuration_page


def test_the_configuration_page_is_what_the_code_says() -> None:
    assert CONFIGURATION.read_text("utf-8") == configuration_page(), "run `make docs`"


def test_the_options_of_enqueue_are_what_a_request_can_ask() -> None:
    assert ENQUEUE_OPTIONS.read_text("utf-8") == enqueue_options(), "run `make docs`"


def test_the_api_page_is_what_the_code_says() -> None:
    assert API.read_text("utf-8") == api_page(), "run `make docs`"


def test_the_pages_of_settings_are_what_the_models_say() -> None:
    for name, page in settings_pages().items():
        assert CONFIGURATION.with_name(name).read_text("utf-8") == page, "run `make docs`"


def test_the_dashboards_types_are_what_the_api_says() -> None:
    assert API_TYPES.read_text("utf-8") == api_types(), "run `make docs`"


def test_the_command_lines_page_is_what_the_code_says() -> None:
    assert CLI.read_text("utf-8") == cli_page(), "run `make docs`"


def test_every_command_has_an_example_of_itself() -> None:
    for words, command in commands():
        example = example_of(command)
        assert example is not None, words
        assert example.startswith(f"headrace {words}"), words
