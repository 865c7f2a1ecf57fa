"""Jobs: list, read, enqueue, change."""

from headrace.service.jobs.jobs import Jobs

__all__ = ["Jobs"]
