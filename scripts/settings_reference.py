"""The reference page of a noun's settings, from the model."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.model.settings.definition import DeclaredSettings, OperatorSettings
from headrace.model.settings.setting import Setting, settings_of

DEFINITION_HEAD = """\
# Settings of a definition

Code declares them (`@hr.job(…)`, `hr.register(…)`, `[commands.KEY]` in `headrace.toml`, `define_sql_job`), and an
operator changes them (`headrace definitions set`, the dashboard, `PATCH /admin/jobs/definitions/{key}`). The names
are those of the columns, of the API and of the file. Code and the command line leave `_seconds` out: code takes
seconds or a `timedelta`, the command line takes `30s` or `5m`. In code `retry=RetryPolicy(…)` says the three waits,
and `rate_limit="10/s"` the limit with its period. Only code says `description` and `tags`; only an operator says
`enabled`.
"""
TABLE = "| setting | takes | default | none means | what |\n|---|---|---|---|---|\n"


def definition_settings_page() -> str:
    """Every setting of a definition, by group."""
    found = {**settings_of(DeclaredSettings), **settings_of(OperatorSettings)}
    return DEFINITION_HEAD + "".join(_group(group, found.values()) for group in _groups(found.values()))


def _groups(settings: Iterable[Setting]) -> Iterable[str]:
    return dict.fromkeys(setting.group for setting in settings)


def _group(group: str, settings: Iterable[Setting]) -> str:
    return f"\n## {group}\n\n{TABLE}" + "".join(_row(setting) for setting in settings if setting.group == group)


def _row(setting: Setting) -> str:
    about = f"{setting.help} Without `{setting.needs}` the setting has no effect." if setting.needs else setting.help
    cells = (f"`{setting.name}`", setting.takes, _default(setting), setting.none or "", about)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _default(setting: Setting) -> str:
    match setting.default:
        case None | "" | ():
            return ""
        case bool(flag):
            return "`true`" if flag else "`false`"
        case float(number):
            return f"`{number:g}`"
    return f"`{setting.default}`"
