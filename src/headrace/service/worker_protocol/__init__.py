"""Workers over HTTP: what `worker/postgres.py` does with a database login, for a principal that has none."""

from headrace.service.worker_protocol.work import Work

__all__ = ["Work"]
