"""`headrace triggers` and `headrace schedules`."""
