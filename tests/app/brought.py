"""Connections that a caller brings, each in a transaction of the caller's own."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import asyncpg
import psycopg
import sqlalchemy
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool


@dataclass
class Brought:
    """A connection, and how its transaction ends."""

    connection: Any
    _commit: Callable[[], Any]
    _rollback: Callable[[], Any]

    async def commit(self) -> None:
        await _maybe(self._commit())

    async def rollback(self) -> None:
        await _maybe(self._rollback())


async def _maybe(result: Any) -> None:
    if inspect.isawaitable(result):
        await result


@asynccontextmanager
async def asyncpg_connection(url: str) -> AsyncIterator[Brought]:
    connection = await asyncpg.connect(url)
    transaction = connection.transaction()
    await transaction.start()
    yield Brought(connection, transaction.commit, transaction.rollback)
    await connection.close()


@asynccontextmanager
async def asyncpg_pool_proxy(url: str) -> AsyncIterator[Brought]:
    async with asyncpg.create_pool(url, min_size=1, max_size=1) as pool, pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        yield Brought(connection, transaction.commit, transaction.rollback)


@asynccontextmanager
async def psycopg_connection(url: str) -> AsyncIterator[Brought]:
    with psycopg.connect(url) as connection:
        yield Brought(connection, connection.commit, connection.rollback)


@asynccontextmanager
async def psycopg_async_connection(url: str) -> AsyncIterator[Brought]:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        yield Brought(connection, connection.commit, connection.rollback)


def sync_engine(url: str) -> sqlalchemy.Engine:
    return sqlalchemy.create_engine(url.replace("postgresql://", "postgresql+psycopg://"), poolclass=NullPool)


@asynccontextmanager
async def sqlalchemy_connection(url: str) -> AsyncIterator[Brought]:
    with sync_engine(url).connect() as connection:
        yield Brought(connection, connection.commit, connection.rollback)


@asynccontextmanager
async def sqlalchemy_session(url: str) -> AsyncIterator[Brought]:
    with Session(sync_engine(url)) as session:
        yield Brought(session, session.commit, session.rollback)


def async_engine(url: str) -> Any:
    # Imported here, for it needs greenlet, and the other drivers do not.
    from sqlalchemy.ext.asyncio import create_async_engine

    return create_async_engine(url.replace("postgresql://", "postgresql+asyncpg://"), poolclass=NullPool)


@asynccontextmanager
async def sqlalchemy_async_connection(url: str) -> AsyncIterator[Brought]:
    async with async_engine(url).connect() as connection:
        yield Brought(connection, connection.commit, connection.rollback)


@asynccontextmanager
async def sqlalchemy_async_session(url: str) -> AsyncIterator[Brought]:
    from sqlalchemy.ext.asyncio import AsyncSession

    async with AsyncSession(async_engine(url)) as session:
        yield Brought(session, session.commit, session.rollback)
