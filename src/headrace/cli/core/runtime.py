"""What the API stands on in this process: the configured database and keys, without the jobs of any application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from headrace.config import Settings, load_settings
from headrace.db.database import Database
from headrace.model.secret.encryption import SecretBox


class LocalRuntime:
    """A database that is open, and its settings. An application's `Headrace` is one too, and loads far more."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self.settings = settings
        self.database = database

    def secret_box(self) -> SecretBox:
        """The keys for secret fields."""
        return SecretBox.read(self.settings.secret_key)


@asynccontextmanager
async def local_runtime(config: str | None, *, data_dir: Path | None = None) -> AsyncIterator[LocalRuntime]:
    """Open until the block ends."""
    settings = load_settings(file=None if config is None else Path(config), flags={"data_dir": data_dir})
    where = settings.database
    database = await Database.open(
        url=where.url, data_dir=settings.data_dir, pool_size=where.pool_size, pooler=where.pooler
    )
    try:
        yield LocalRuntime(settings, database)
    finally:
        await database.close()
