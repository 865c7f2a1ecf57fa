"""The verbs of alerts: rules, targets, incidents and what was sent."""

from headrace.service.alerts.incidents import Alerts
from headrace.service.alerts.rules import AlertRules
from headrace.service.alerts.targets import AlertTargets

__all__ = ["AlertRules", "AlertTargets", "Alerts"]
