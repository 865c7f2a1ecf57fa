"""The server's settings: for a job queue on a small machine, and durable."""

from __future__ import annotations

import os

from headrace.db.embedded.layout import PORT, Layout

SETTINGS = {
    "listen_addresses": "",
    "port": PORT,
    "unix_socket_permissions": "0700",
    "max_connections": 200,
    "shared_buffers": "256MB",
    "fsync": "on",
    "synchronous_commit": "on",
    # The wheel has neither lz4 nor zstd, and pglz took 15 % of a claim's time after a checkpoint.
    "wal_compression": "off",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "logging_collector": "off",
    "update_process_title": "off",
}


def write_conf(layout: Layout) -> None:
    """Write our settings anew, so that those of a newer Headrace take effect."""
    settings = {**SETTINGS, "unix_socket_directories": f'"{layout.socket_dir}"'}
    lines = [
        "# Written by Headrace at every start. ALTER SYSTEM has the last word: use it for your own settings.",
        "include_if_exists 'postgres/postgresql.conf'",
        *(f"{name} = '{value}'" for name, value in settings.items()),
    ]
    # Beside the cluster and not inside: root must not write where an unprivileged user could plant a link.
    draft = layout.conf.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(lines) + "\n")
    draft.chmod(0o644)
    os.replace(draft, layout.conf)
