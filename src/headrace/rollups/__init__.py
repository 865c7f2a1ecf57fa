"""Rollups: what happened, counted as it happens, so that nobody needs to count history."""
