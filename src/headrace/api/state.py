"""What the routes of one application stand on, handed to them with each request."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

from fastapi import Request

if TYPE_CHECKING:
    from headrace.api.auth import Authenticator, Identify
    from headrace.api.body.memory import BodyRoom
    from headrace.api.bulk_runner import BulkRunner
    from headrace.service.cursors import Cursors
    from headrace.service.health.service import Health
    from headrace.service.logs.hub import LogHub
    from headrace.service.metrics.service import Scrapes
    from headrace.service.session import Runtime
    from headrace.service.stream import Hub
    from headrace.service.tokens.credential_watch import CredentialWatch
    from headrace.shares import Shares

# The key in a request's scope.
STATE = "headrace"


class State:
    """One of each for an application, loaded and made when it is first asked for."""

    def __init__(self, runtime: Runtime, identify: Identify | None = None) -> None:
        self._runtime, self._identify = runtime, identify

    @cached_property
    def authenticator(self) -> Authenticator:
        """Who asks."""
        from headrace.api.auth import Authenticator

        return Authenticator(self._runtime, self._identify)

    @cached_property
    def body_room(self) -> BodyRoom:
        """Memory for bodies."""
        from headrace.api.body.memory import BodyRoom

        return BodyRoom(self._runtime.settings.server.max_body_memory_mb * 1024 * 1024)

    @cached_property
    def parsing(self) -> Shares:
        """Turns at the parser of large bodies: a caller has one body in line."""
        from headrace.shares import Shares

        return Shares(1)

    @cached_property
    def cursors(self) -> Cursors:
        """Where pages ended."""
        from headrace.service.cursors import Cursors

        return Cursors(self._runtime)

    @cached_property
    def operations(self) -> BulkRunner:
        """Bulk operations."""
        from headrace.api.bulk_runner import BulkRunner

        return BulkRunner(self._runtime)

    @cached_property
    def health(self) -> Health:
        """Whether all is well."""
        from headrace.service.health.service import Health

        return Health(self._runtime)

    @cached_property
    def scrapes(self) -> Scrapes:
        """What was counted."""
        from headrace.service.metrics.service import Scrapes

        return Scrapes()

    @cached_property
    def hub(self) -> Hub:
        """What changes."""
        from headrace.service.stream import Hub

        return Hub(self._runtime, self.watch)

    @cached_property
    def log_hub(self) -> LogHub:
        """What jobs say."""
        from headrace.service.logs.hub import LogHub

        return LogHub(self._runtime, self.watch)

    @cached_property
    def watch(self) -> CredentialWatch:
        """Which credentials are still good, of those that keep an answer open."""
        from headrace.service.tokens.credential_watch import CredentialWatch

        return CredentialWatch(self._runtime)

    async def stop(self) -> None:
        """End what was begun."""
        if "operations" in vars(self):
            await self.operations.stop()


def state_of(request: Request) -> State:
    """That of the application which the request came to."""
    return cast("State", request.scope[STATE])
