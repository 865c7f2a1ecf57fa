"""Definitions: what can be run, from code to the database."""
