"""Triggers: the checked rule, its record, and what to do when it is due."""
