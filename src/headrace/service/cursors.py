"""Cursors for strangers: sealed, because a page may end at a job of another tenant, and of use in one place only."""

from __future__ import annotations

from headrace.db.statements import statements
from headrace.errors import BadRequest
from headrace.model.secret.encryption import MARK, CannotDecrypt, SecretBox
from headrace.service.session import Runtime

SQL = statements(__file__)


class Cursors:
    """Seals with the key of this installation, which every server reads from the database, once."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._box: SecretBox | None = None

    async def seal(self, cursor: str, *, place: str) -> str:
        """The cursor as a word that only `unseal` reads. The same cursor gives the same word."""
        return (await self._key()).encrypt(cursor, place=place)[MARK]

    async def unseal(self, sealed: str, *, place: str) -> str:
        """The cursor that was sealed for this place, or `BadRequest`."""
        try:
            return str((await self._key()).decrypt({MARK: sealed}, place=place))
        except CannotDecrypt:
            raise BadRequest(
                "the cursor does not come from this list: leave the cursor out to begin with the first page"
            ) from None

    async def _key(self) -> SecretBox:
        if self._box is None:
            async with self._runtime.database.pool.acquire() as conn:
                self._box = SecretBox([await conn.fetchval(SQL["read_cursor_key"])])
        return self._box
