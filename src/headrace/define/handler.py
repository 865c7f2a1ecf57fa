"""A definition together with the function that runs it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headrace.context import Context
from headrace.define.signature import Arguments, BadHandler, NotJson
from headrace.errors import ValidationError
from headrace.model.definition import Isolation, declare
from headrace.model.job.outcome import CannotRead, Fail
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.schema import SecretSchema


class Handler:
    """A function that a worker of this process can run."""

    def __init__(
        self, function: Callable[..., Any], *, key: str | None, isolation: Isolation = "none", **options: Any
    ) -> None:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise BadHandler(f"{function.__qualname__} is a generator: a handler returns one value")
        if isolation not in ("none", "process"):
            raise BadHandler(f"{function.__qualname__}: isolation is 'none' or 'process', not {isolation!r}")
        self.function = function
        self.isolation: Isolation = isolation
        self.is_async = inspect.iscoroutinefunction(function)
        self.in_loop = self.is_async and isolation == "none"
        self.arguments = Arguments(function)
        options["description"] = options.get("description") or inspect.cleandoc(function.__doc__ or "")
        self.definition = declare(key or function.__name__, payload_schema=self.arguments.schema(), **options)
        self.secrets = SecretSchema(self.definition.payload_schema)
        self.secret_fields = encrypted_fields(self.secrets)

    @property
    def key(self) -> str:
        return self.definition.key

    def bind(self, payload: str, context: Context) -> dict[str, Any]:
        """The function's arguments: the payload's, validated, and the context where it wants one.

        A payload that does not fit is `CannotRead`: it may fit another version of this code. What is no JSON fits none.
        """
        try:
            arguments = self.arguments.from_json(payload)
        except NotJson as error:
            raise Fail(str(error)) from None
        except ValidationError as error:
            raise CannotRead(f"{error} ({self.definition.about_version()})") from None
        if self.arguments.context_parameter is not None:
            arguments[self.arguments.context_parameter] = context
        return arguments

    def invoke(self, payload: str, context: Context) -> Any:
        """Call the function; an async one gives back its coroutine."""
        return self.function(**self.bind(payload, context))
