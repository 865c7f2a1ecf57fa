"""Worker processes for every test."""

from tests.chaos.processes import workers

__all__ = ["workers"]
