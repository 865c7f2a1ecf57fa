"""A PostgreSQL of one's own: started on demand, shared by processes, stopped by the last one out.

`server` says when it starts and stops; `layout` and `relocate` where its files lie; `account` who runs
it; `binaries` what is run; `initialise` and `conf` make the cluster; `launch`, `probe` and `halt` start,
ask and stop it; `supervise` outlives killed owners; `locks` counts who is in; `presence`
tells who is gone; `processes` and `patience` serve the rest; `explain` words what failed.
"""

from headrace.db.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer"]
