"""A worker process: how it is put together, its heartbeat and its own log."""
