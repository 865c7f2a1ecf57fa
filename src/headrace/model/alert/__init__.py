"""Alerts: kinds of rules, when an incident opens and closes, and what a notice says."""
