"""What an application holds in its hand: declare, enqueue, wait, run a worker."""

from headrace.app.headrace import Headrace
from headrace.app.job_function import JobFunction

__all__ = ["Headrace", "JobFunction"]
