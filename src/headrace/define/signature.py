"""From a handler's signature to its arguments' schema and their validation."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, NotRequired, Required, get_type_hints

import pydantic
from pydantic import ConfigDict, TypeAdapter, with_config
from pydantic_core import PydanticSerializationError
from typing_extensions import TypedDict

from headrace.context import Context
from headrace.errors import HeadraceError, ValidationError
from headrace.model.payload.json_storage import storage_problem
from headrace.model.secret.fields import MASKED
from headrace.model.secret.schema import mentions_secrets


class BadHandler(HeadraceError):
    """This function cannot be a job's handler."""

    code, status = "bad_handler", 500


class NotJson(ValidationError):
    """SQL stored what no version of the code can parse: too deep, or a number of too many digits."""


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

    @cached_property
    def _hides(self) -> bool:
        """Whether anything of a payload may be secret by its type."""
        return mentions_secrets(str(self._adapter.json_schema()))

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
            valid = self._adapter.validate_python(dict(arguments))
            text = self._adapter.dump_json(valid).decode()
            if self._hides:
                text = _revealed(text, self._adapter.dump_python(valid))
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
            invalid = self._invalid(error, masked=self._hides)
            if any(one["type"] == "json_invalid" for one in error.errors(include_url=False)):
                raise NotJson(str(invalid)) from None
            raise invalid from None

    def _invalid(self, error: pydantic.ValidationError, *, masked: bool = False) -> ValidationError:
        """What is wrong; masked without the names of arguments that there are not, which may be anything."""
        problems = []
        for one in error.errors(include_url=False):
            place: tuple[int | str, ...] = one["loc"]
            if masked and one["type"] == "extra_forbidden":
                place = (*place[:-1], MASKED)
            problems.append(f"{'.'.join(map(str, place)) or 'payload'}: {one['msg']}")
        return ValidationError(f"the payload does not fit {self.name}: {'; '.join(problems)}")

    def _refuse_unnamed(self, parameter: inspect.Parameter) -> None:
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise BadHandler(f"{self.name}: parameter {parameter} must accept its argument by name")


def _revealed(text: str, kept: Any) -> str:
    """The JSON with the values of `SecretStr` and the like: Pydantic writes stars in their place."""
    return json.dumps(_reveal(json.loads(text), kept), ensure_ascii=False, separators=(",", ":"))


def _reveal(shown: Any, kept: Any) -> Any:
    if isinstance(kept, pydantic.Secret | pydantic.SecretStr | pydantic.SecretBytes):
        value = kept.get_secret_value()
        return value.decode() if isinstance(value, bytes) else value
    # Of another size, where a type has a JSON form of its own.
    if not isinstance(shown, dict | list) or not isinstance(kept, Collection) or len(shown) != len(kept):
        return shown
    if isinstance(shown, dict) and isinstance(kept, Mapping):
        return {name: _reveal(shown[name], inner) for name, inner in zip(shown, kept.values(), strict=True)}
    return [_reveal(*pair) for pair in zip(shown, kept, strict=True)] if isinstance(shown, list) else shown


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        raise BadHandler(
            f"{getattr(function, '__qualname__', function)}: an annotation cannot be resolved: {error}. "
            "Import the type at the top of its module, not under TYPE_CHECKING."
        ) from error
