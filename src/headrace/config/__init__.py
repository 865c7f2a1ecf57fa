"""Settings: `headrace.toml`, then `HEADRACE_*`, then flags; read once into one typed object."""

from headrace.config.keys import allowed, default_of, field_of, keys, masked, variable
from headrace.config.load import explain_settings, load_settings
from headrace.config.prune_rows import PRESETS, PruneRowsSettings
from headrace.config.section import Section
from headrace.config.settings import (
    AlertsSettings,
    BuiltinSettings,
    CommandSettings,
    DatabaseSettings,
    ExitCodes,
    JobsSettings,
    LogsSettings,
    RetentionSettings,
    SecuritySettings,
    ServerSettings,
    Settings,
    SmtpSettings,
    SqlSettings,
)
from headrace.config.sources import FILE, Given, settings_file

__all__ = [
    "FILE",
    "PRESETS",
    "AlertsSettings",
    "BuiltinSettings",
    "CommandSettings",
    "DatabaseSettings",
    "ExitCodes",
    "Given",
    "JobsSettings",
    "LogsSettings",
    "PruneRowsSettings",
    "RetentionSettings",
    "Section",
    "SecuritySettings",
    "ServerSettings",
    "Settings",
    "SmtpSettings",
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
