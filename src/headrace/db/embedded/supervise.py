"""The server's parent: stops it when no owner is left, however they died, and bounds its log.

Run as a program of its own (`python -I -S supervise.py`), so it may import nothing but the standard library.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
from typing import Any

LOG_BYTES = 10_000_000
LOG_CHECK_SECONDS = 60

# How to ask, and how long to wait: fast shutdown, immediate shutdown, no more asking.
STOP_STEPS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 10.0))


def stop_when_nobody_is_left(share_fd: int, server: "subprocess.Popen[bytes]", gone: threading.Event) -> None:
    """Wait until no owner holds a share any more, then stop the server."""
    fcntl.flock(share_fd, fcntl.LOCK_EX)
    for step, seconds in STOP_STEPS:
        server.send_signal(step)
        if gone.wait(seconds):
            return


def bound_log(path: str) -> None:
    """Keep one older log, and begin the log anew when it has grown too long; no link is followed."""
    with contextlib.suppress(OSError), open(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "r+b") as log:
        if os.fstat(log.fileno()).st_size <= LOG_BYTES:
            return
        log.seek(-LOG_BYTES, os.SEEK_END)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{path}.1")
        with open(os.open(f"{path}.1", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as older:
            older.write(log.read())
        # Emptied and not renamed: the server goes on appending to the same open file.
        log.truncate(0)


def bound_log_forever(path: str, gone: threading.Event) -> None:
    """Look after the log as long as the server lives."""
    while not gone.wait(LOG_CHECK_SECONDS):
        bound_log(path)


def remove_socket_folder(share_fd: int, folder: str) -> None:
    """Leave no folder behind, unless an owner is in who may just be starting the next server there."""
    with contextlib.suppress(OSError):
        fcntl.flock(share_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.rmdir(folder)


def start_server(alive_fd: int, uid: str, gid: str, command: "tuple[str, ...]") -> "subprocess.Popen[bytes]":
    """Start the server in a session and under an account of its own, as the only holder of the alive lock."""
    identity: dict[str, Any] = {"user": int(uid), "group": int(gid), "extra_groups": []} if uid else {}
    try:
        return subprocess.Popen(  # noqa: S603 - the command comes from launch.py
            command, pass_fds=[alive_fd], start_new_session=True, cwd="/", **identity
        )
    finally:
        os.close(alive_fd)


def main(share: str, log: str, socket_folder: str, alive_fd: str, uid: str, gid: str, *command: str) -> None:
    """Detach, start the server and stay until it is gone."""
    share_fd = os.open(share, os.O_RDWR)
    if os.fork():
        os._exit(0)  # the owner does not wait for us, and need not reap us
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    server = start_server(int(alive_fd), uid, gid, command)
    gone = threading.Event()
    threading.Thread(target=stop_when_nobody_is_left, args=(share_fd, server, gone), daemon=True).start()
    threading.Thread(target=bound_log_forever, args=(log, gone), daemon=True).start()
    server.wait()
    gone.set()
    remove_socket_folder(share_fd, socket_folder)
    os._exit(0)  # a thread may still wait for the lock


if __name__ == "__main__":
    main(*sys.argv[1:])
