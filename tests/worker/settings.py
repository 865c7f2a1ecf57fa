"""Settings as short as a test needs them."""

from __future__ import annotations

from typing import Any

from tests.logins import own_url

from headrace.config import BuiltinSettings, DatabaseSettings, JobsSettings, Settings

SECTIONS = ("alerts", "builtin", "commands", "logs", "retention", "secret_key", "server", "smtp", "sql")


def settings_for(url: str, **given: Any) -> Settings:
    """Settings on that database; those of jobs may lie outside the ranges that people are held to."""
    sections = {name: given.pop(name) for name in SECTIONS if name in given}
    sections.setdefault("builtin", BuiltinSettings(enabled=False))
    jobs = JobsSettings.model_construct(**{"kill_grace_s": 1.0, **given})
    return Settings.model_construct(database=DatabaseSettings(url=own_url(url)), jobs=jobs, **sections)
