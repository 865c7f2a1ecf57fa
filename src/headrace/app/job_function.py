"""What `@hr.job` puts in the place of a function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, Unpack
from uuid import UUID

from headrace.app.awaited import awaited
from headrace.app.client import Client
from headrace.define.handler import Handler
from headrace.model.job.enqueue_options import EnqueueManyOptions, EnqueueOptions

P = ParamSpec("P")
R = TypeVar("R")
OPTIONS = frozenset(EnqueueOptions.__annotations__)


class JobFunction(Generic[P, R]):
    """The function, still callable, and its definition, which can be enqueued."""

    def __init__(self, app: Client, handler: Handler, function: Callable[P, R]) -> None:
        self._app = app
        self.handler = handler
        self._function = function
        functools.update_wrapper(self, function)

    @property
    def key(self) -> str:
        return self.handler.key

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function here and now, as tests do."""
        return self._function(*args, **kwargs)

    @awaited
    async def enqueue(self, **arguments: Any) -> UUID:
        """Enqueue with the function's arguments and, beside them, `hr.enqueue`'s options.

        A parameter of the function wins over an option of the same name; use `hr.enqueue` to give that option.
        """
        taken = self.handler.arguments.names
        options = {name: arguments.pop(name) for name in list(arguments) if name in OPTIONS and name not in taken}
        return await self._app.enqueue(self.key, arguments, **options)

    @awaited
    async def enqueue_many(
        self, payloads: Iterable[Mapping[str, Any]], **options: Unpack[EnqueueManyOptions]
    ) -> list[UUID]:
        """Enqueue many at once, one for each mapping of arguments."""
        return await self._app.enqueue_many(self.key, payloads, **options)

    def __repr__(self) -> str:
        return f"<job {self.key}>"
