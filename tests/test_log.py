"""Our own lines in an application's log."""

from __future__ import annotations

import logging

import pytest

from headrace.log import get_logger


def test_a_percent_sign_is_a_percent_sign(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        get_logger("headrace.test").info("50% of %s", share="7%")

    assert caplog.messages == ["50% of %s share=7%"]
