"""The super-admin of a data folder: its token, and links that sign a browser in without showing it."""

from __future__ import annotations

import asyncio
import os
from datetime import timedelta
from pathlib import Path

from headrace.service import Service
from headrace.service.session import Runtime
from headrace.service.tokens.service import find_principal
from headrace.service.tokens.sign_in_codes import make_code

ADMIN_TOKEN = "admin-token"  # noqa: S105 - the name of a file


async def sign_in_link(runtime: Runtime, where: str) -> str:
    """A link that signs one browser in as super-admin, for a minute; at the public address if there is one."""
    token = await admin_token(runtime)
    async with runtime.database.pool.acquire() as conn:
        code = await make_code(conn, token)
    return f"{(runtime.settings.server.public_url or where).rstrip('/')}/#code={code}"


async def admin_token(runtime: Runtime) -> str:
    """The super-admin's token of a data folder: the one kept there, or a new one if that opens nothing."""
    file = runtime.settings.data_dir / ADMIN_TOKEN
    kept = await asyncio.to_thread(_read, file)
    if kept is not None:
        async with runtime.database.pool.acquire() as conn:
            if await find_principal(conn, kept) is not None:
                return kept
    days = runtime.settings.security.token_max_days
    lifetime = None if days is None else timedelta(days=days)
    made = await Service(runtime).tokens.create("headrace dev", "super_admin", expires_at=lifetime)
    await asyncio.to_thread(_write_private, file, made.token)
    return made.token


def _read(file: Path) -> str | None:
    try:
        return file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _write_private(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    # Made and written in one: another user of the folder may put a link in its place in between.
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as made:
        made.write(f"{text}\n")
