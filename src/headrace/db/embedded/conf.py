"""The server's settings: for a job queue on a small machine, and durable."""

from __future__ import annotations

import os
from pathlib import Path

from headrace.db.embedded.account import Account, name_of
from headrace.db.embedded.initialise import ROLE
from headrace.db.embedded.layout import PORT, Layout

MAP = "headrace"
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


# From here on a map can say "all", whatever roles an operator or a test makes. Headrace itself brings a newer one.
NAMES_ALL_ROLES = 16


def write_conf(layout: Layout, account: Account, major: int) -> None:
    """Write our settings anew, so that those of a newer Headrace take effect."""
    settings = {
        **SETTINGS,
        "unix_socket_directories": f'"{layout.socket_dir}"',
        "hba_file": _quoted(layout.hba),
        "ident_file": _quoted(layout.ident),
    }
    lines = [
        "# Written by Headrace at every start. ALTER SYSTEM has the last word: use it for your own settings.",
        "include_if_exists 'postgres/postgresql.conf'",
        *(f"{name} = '{value}'" for name, value in settings.items()),
    ]
    _write(layout.hba, [f"local {database} all peer map={MAP}" for database in ("all", "replication")])
    roles = "all" if major >= NAMES_ALL_ROLES else ROLE
    _write(layout.ident, [f'{MAP} "{user}" {roles}' for user in _users(layout, account)])
    _write(layout.conf, lines)


def _users(layout: Layout, account: Account) -> list[str]:
    """Who may log in, by the kernel's word and without a password: who can do as they like with the files anyway."""
    owner = layout.data_dir.stat().st_uid
    names = (name_of(uid) for uid in dict.fromkeys((0, os.geteuid(), owner, account.uid)))
    return [name for name in names if name is not None]


def _quoted(path: Path) -> str:
    """As a text between the single quotes of a settings file."""
    return str(path).replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")


def _write(file: Path, lines: list[str]) -> None:
    # Beside the cluster and not inside: root must not write where an unprivileged user could plant a link.
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with draft.open("x", encoding="utf-8", errors="surrogateescape") as text:
        text.write("\n".join(lines) + "\n")
        os.fchmod(text.fileno(), 0o644)
    os.replace(draft, file)
