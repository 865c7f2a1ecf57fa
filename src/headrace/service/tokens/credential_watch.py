"""The watch: what a credential has opened ends soon after the credential does, whichever process ended it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headrace.db.statements import statements
from headrace.service.looker import Looker
from headrace.service.session import Runtime

SQL = statements(__file__)


class CredentialWatch(Looker):
    """Asks twice a second, with one statement for all, which credentials still open something."""

    # What is ended is to be gone within a second, on a busy server too.
    every = 0.4
    longest_pause = 0.8

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        # By the hash of a token or a session: what ends with it.
        self._held: defaultdict[bytes, set[Callable[[], None]]] = defaultdict(set)

    @contextmanager
    def hold(self, credential: bytes | None, end: Callable[[], None]) -> Iterator[None]:
        """Call `end`, once or more, if the credential ends within the block. A caller whom the host knows has none."""
        if credential is None:
            yield
            return
        self._held[credential].add(end)
        self._start()
        try:
            yield
        finally:
            self._held[credential].discard(end)
            if not self._held[credential]:
                del self._held[credential]

    def wanted(self) -> bool:
        return bool(self._held)

    async def look(self) -> None:
        asked = list(self._held)
        async with self._runtime.database.pool.acquire() as conn:
            good = {row[0] for row in await conn.fetch(SQL["good_credentials"], asked)}
        for credential in set(asked) - good:
            for end in list(self._held.get(credential, ())):
                end()
