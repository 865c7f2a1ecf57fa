"""From a handler's signature to its arguments' schema and their validation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NotRequired, Required, get_type_hints

import pydantic
from pydantic import ConfigDict, TypeAdapter, with_config
from pydantic_core import PydanticSerializationError
from typing_extensions import TypedDict

from headrace.errors import HeadraceError, ValidationError
from headrace.model.context import Context
from headrace.model.json_bounds import storage_problem


class BadHandler(HeadraceError):
    """This function cannot be a job's handler."""

    code, status = "bad_handler", 500


class Arguments:
    """What a handler takes: everything but a parameter annotated `Context`, by name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = getattr(function, "__qualname__", repr(function))
        hints = _hints(function)
        self.context_parameter: str | None = None
        self.defaults: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(function).parameters.values():
            hint = hints.get(parameter.name, Any)
            if hint is Context:
                self.context_parameter = parameter.name
                continue
            self._refuse_unnamed(parameter)
            if parameter.default is inspect.Parameter.empty:
                fields[parameter.name] = Required[hint]
            else:
                fields[parameter.name] = NotRequired[hint]
                self.defaults[parameter.name] = parameter.default
        self.names = frozenset(fields)
        # JSON has no NaN and no infinity; unless refused they would become null on the way.
        config = ConfigDict(extra="forbid", allow_inf_nan=False)
        shape = with_config(config)(TypedDict("Arguments", fields))  # type: ignore[operator]
        try:
            self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(shape)
        except pydantic.errors.PydanticUserError as error:
            raise BadHandler(f"{self.name}: an argument's type cannot be kept as JSON: {error.message}") from error

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the payload, with the signature's defaults."""
        schema = self._adapter.json_schema()
        for name, default in self.defaults.items():
            try:
                schema["properties"][name]["default"] = pydantic.TypeAdapter(Any).dump_python(default, mode="json")
            except PydanticSerializationError:
                continue
        schema.pop("title", None)
        return schema

    def to_json(self, arguments: Mapping[str, Any]) -> str:
        """The payload as JSON text, or a `ValidationError` that names the argument."""
        try:
            text = self._adapter.dump_json(self._adapter.validate_python(dict(arguments))).decode()
        except pydantic.ValidationError as error:
            raise self._invalid(error) from None
        except PydanticSerializationError as error:
            raise ValidationError(f"the payload of {self.name} cannot be kept as JSON: {error}") from None
        if (problem := storage_problem(text, len(text))) is not None:
            raise ValidationError(f"the payload of {self.name} cannot be kept as JSON: {problem}")
        return text

    def from_json(self, payload: str) -> dict[str, Any]:
        """The handler's keyword arguments, or a `ValidationError` that names the argument."""
        try:
            return self._adapter.validate_json(payload)
        except pydantic.ValidationError as error:
            raise self._invalid(error) from None

    def _invalid(self, error: pydantic.ValidationError) -> ValidationError:
        problems = (f"{'.'.join(map(str, e['loc'])) or 'payload'}: {e['msg']}" for e in error.errors(include_url=False))
        return ValidationError(f"the payload does not fit {self.name}: {'; '.join(problems)}")

    def _refuse_unnamed(self, parameter: inspect.Parameter) -> None:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise BadHandler(f"{self.name}: parameter {parameter} must be passable by name")


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        raise BadHandler(
            f"{getattr(function, '__qualname__', function)}: an annotation cannot be resolved: {error}. "
            "Import the type at the top of its module, not under TYPE_CHECKING."
        ) from error
