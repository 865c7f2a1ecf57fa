"""Retention: jobs whose time has run out go, whole weeks where nothing must stay, else a few at a time."""
