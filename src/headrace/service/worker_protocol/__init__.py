"""Workers over HTTP: what `worker/transport/postgres.py` does with a database login, for a principal that has none."""

from headrace.service.worker_protocol.service import WorkerProtocol

__all__ = ["WorkerProtocol"]
