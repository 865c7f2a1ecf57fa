"""Claim, execute, finish: over a Transport."""
