"""The reference page of a noun's settings, from the model."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.model.settings.alert_rule import AlertRuleSettings
from headrace.model.settings.definition import DeclaredSettings, OperatorSettings
from headrace.model.settings.setting import Setting, SettingsModel, settings_of
from headrace.model.settings.trigger import TriggerSettings

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


TRIGGER_HEAD = """\
# Settings of a trigger

Code declares them (`@hr.job(cron=…)`), SQL writes them (`headrace.trigger`, `headrace.schedule`), and an operator
changes them (`headrace triggers update`, the dashboard, `PATCH /jobs/triggers/{trigger_id}`). The names are those of
the columns and of the API. Code and the command line leave `_seconds` out and call the version `init`; the type follows
from the rule. Code has no word for `starts_at`, `ends_at`, `max_fires`, `queue`, `priority`, `max_attempts` and
`catch_up_cap`.
"""
ALERT_RULE_HEAD = """\
# Settings of an alert rule

People set them (`headrace alerts rules`, the dashboard, `PATCH /alerts/rules/{rule_id}`). The names are those of the
columns and of the API. The command line leaves `_seconds` out, takes `--target` by name, and `--quiet 22:00-07:00` for
both ends of the quiet hours. The parameters of each kind of rule are in [Alerts](../how-to/alerts.md).
"""


def settings_pages() -> dict[str, str]:
    """The pages by their names: every setting of a noun, by group."""
    return {
        "definition-settings.md": _page(DEFINITION_HEAD, DeclaredSettings, OperatorSettings),
        "trigger-settings.md": _page(TRIGGER_HEAD, TriggerSettings),
        "alert-rule-settings.md": _page(ALERT_RULE_HEAD, AlertRuleSettings),
    }


def _page(head: str, *models: type[SettingsModel]) -> str:
    settings = {name: setting for model in models for name, setting in settings_of(model).items()}.values()
    return head + "".join(_group(group, settings) for group in _groups(settings))


def _groups(settings: Iterable[Setting]) -> Iterable[str]:
    return dict.fromkeys(setting.group for setting in settings)


def _group(group: str, settings: Iterable[Setting]) -> str:
    return f"\n## {group}\n\n{TABLE}" + "".join(_row(setting) for setting in settings if setting.group == group)


def _row(setting: Setting) -> str:
    about = f"{setting.help} Without `{setting.needs}` the setting has no effect." if setting.needs else setting.help
    if setting.types:
        about += f" Of type {' or '.join(setting.types)}."
    cells = (f"`{setting.name}`", setting.takes, _default(setting), setting.none or "", about)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _default(setting: Setting) -> str:
    match setting.default:
        case None | "" | () | {}:
            return ""
        case bool(flag):
            return "`true`" if flag else "`false`"
        case float(number):
            return f"`{number:g}`"
    return f"`{setting.default}`"
