"""Removing partitions beside open transactions: how long to wait, and what it means when that was not enough."""

from __future__ import annotations

import asyncpg

PATIENCE_SECONDS = 2.0
# Somebody reads it, or another process removes it too.
IN_USE = (
    TimeoutError,
    asyncpg.UndefinedTableError,
    asyncpg.ObjectNotInPrerequisiteStateError,
    asyncpg.DeadlockDetectedError,
    asyncpg.LockNotAvailableError,
)
