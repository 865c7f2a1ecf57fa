"""Headrace: a job control plane on PostgreSQL."""
