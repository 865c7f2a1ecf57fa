"""What the routes of one application stand on, handed to them with each request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from fastapi import Request

if TYPE_CHECKING:
    from headrace.api.background import OperationsRunner
    from headrace.api.who import Gatekeeper
    from headrace.service.health import Health
    from headrace.service.metrics import Scrapes
    from headrace.service.stream import Hub

# The key in a request's scope.
STATE = "headrace"


@dataclass(frozen=True, slots=True)
class State:
    """One of each for an application."""

    gatekeeper: Gatekeeper
    operations: OperationsRunner
    health: Health
    scrapes: Scrapes
    hub: Hub


def state_of(request: Request) -> State:
    """That of the application which the request came to."""
    return cast("State", request.scope[STATE])
