"""Pages of lists: one row more than asked for says that there is another; and where a page ended, sealed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from pydantic import Field

from headrace.api.auth import CurrentService
from headrace.api.schemas import Text
from headrace.api.state import state_of
from headrace.service.cursors import Cursors

Item = TypeVar("Item")
Cursor = Annotated[Text | None, Field(max_length=4000, description="`next_cursor` of the previous page")]


def cut(items: Sequence[Item], limit: int, key: Callable[[Item], object]) -> tuple[list[Item], str | None]:
    """The page, and the key of its last item when more was found than fits."""
    page = list(items[:limit])
    return page, str(key(page[-1])) if len(items) > limit else None


class ListCursors:
    """The cursors of one list for one tenant: those of another list or tenant are refused."""

    def __init__(self, cursors: Cursors, place: str) -> None:
        self._cursors, self._place = cursors, place

    async def read(self, given: str | None) -> str | None:
        """Where the page before ended, or `BadRequest`."""
        return None if given is None else await self._cursors.unseal(given, place=self._place)

    async def read_number(self, given: str | None) -> int | None:
        """The same, of a list that goes by numbers."""
        found = await self.read(given)
        return None if found is None else int(found)

    async def write(self, cursor: object) -> str | None:
        """Where this page ended, for the next request."""
        return None if cursor is None else await self._cursors.seal(str(cursor), place=self._place)


def list_cursors(request: Request, service: CurrentService) -> ListCursors:
    """Those of the list that is asked for, for the tenant of the caller."""
    place = f"{request.scope['endpoint'].__name__} {service.principal.tenant or ''}"
    return ListCursors(state_of(request).cursors, place)


CurrentCursors = Annotated[ListCursors, Depends(list_cursors)]
