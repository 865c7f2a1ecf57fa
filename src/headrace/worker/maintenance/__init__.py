"""Periodic work that any process does for all: promote, fire, dispatch, rescue, count, clean up."""
