"""Settings: `headrace.toml`, then `HEADRACE_*`, then flags; read once into one typed object."""

from headrace.config.keys import allowed, default_of, field_of, keys, masked, variable
from headrace.config.load import explain_settings, load_settings, settings_file
from headrace.config.settings import (
    CommandSettings,
    DatabaseSettings,
    ExitCodes,
    JobsSettings,
    LogsSettings,
    RetentionSettings,
    Section,
    SecuritySettings,
    ServerSettings,
    Settings,
    SqlSettings,
)
from headrace.config.sources import FILE, Given

__all__ = [
    "FILE",
    "CommandSettings",
    "DatabaseSettings",
    "ExitCodes",
    "Given",
    "JobsSettings",
    "LogsSettings",
    "RetentionSettings",
    "Section",
    "SecuritySettings",
    "ServerSettings",
    "Settings",
    "SqlSettings",
    "allowed",
    "default_of",
    "explain_settings",
    "field_of",
    "keys",
    "load_settings",
    "masked",
    "settings_file",
    "variable",
]
