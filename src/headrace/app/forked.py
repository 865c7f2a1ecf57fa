"""What a process inherits by a fork and has no use for: the connections and loops of its parent."""

from __future__ import annotations

import ctypes


def leave_to_parent(thing: object) -> None:
    """Keep it as it is for as long as this process lives, its very end included.

    Sockets and epoll are shared with the parent. A connection that is collected here takes itself out of that epoll,
    and the parent never hears from it again.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
