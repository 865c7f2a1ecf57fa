"""Jobs: list, read, enqueue, change."""

from headrace.service.jobs.service import Jobs

__all__ = ["Jobs"]
