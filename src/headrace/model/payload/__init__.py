"""Payloads: their JSON Schema, and which JSON can be stored and read."""
