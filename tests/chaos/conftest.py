"""Worker processes for every test."""

from tests.chaos.world.processes import workers

__all__ = ["workers"]
