"""A setting is declared once: its default, range, label and help are a field of a model, which everything reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.fields import FieldInfo

from headrace.errors import BadRequest
from headrace.model.system import SYSTEM_QUEUE
from headrace.model.unknown_fields import refuse_many_unknown

YEAR = 31_536_000
MOST = 1_000_000
MOST_INT = 2_147_483_647
QUEUE = "^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$"
QUEUE_NAMES = "1 to 100 of A-Z a-z 0-9 _ . : - that begin with a letter or digit"
STORABLE = "^[^\x00]*$"
Kind = Literal["flag", "count", "number", "duration", "days", "text", "id", "list", "choice", "moment", "json"]
_OF_UNIT: Mapping[str, Kind] = {"_seconds": "duration", "_days": "days"}
_OF_TYPE: Mapping[Any, Kind] = {
    bool: "flag",
    int: "count",
    float: "number",
    str: "text",
    UUID: "id",
    tuple: "list",
    AwareDatetime: "moment",
    dict: "json",
}
_UNITS: Mapping[Kind, str] = {
    "count": "a whole number",
    "number": "a number",
    "duration": "a number of seconds",
    "days": "a number of days",
}


def setting(
    default: Any,
    *,
    group: str,
    label: str,
    help: str,  # noqa: A002 - the word for it
    none: str | None = None,
    needs: str | None = None,
    allowed: str | None = None,
    types: Sequence[str] = (),
    **takes: Any,
) -> Any:
    """A field of a settings model.

    `none` is what null means, `needs` is a setting without which this one has no effect, `allowed` is what a text may
    be, and `types` are those of the noun that have it, where not all do. What else a field `takes` is Pydantic's: `ge`,
    `gt`, `le`, `pattern`, `max_length`.
    """
    words: dict[str, JsonValue] = {"x-group": group, "x-label": label, "x-none": none, "x-needs": needs}
    words |= {"x-allowed": allowed, "x-types": list(types) or None}
    extra: dict[str, JsonValue] = {name: word for name, word in words.items() if word is not None}
    return Field(default, description=help, json_schema_extra=extra, **takes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a surface needs to know of a setting. The name is that of the column, and a number bears its unit in it."""

    name: str
    kind: Kind
    label: str
    help: str
    group: str
    default: Any
    none: str | None = None
    needs: str | None = None
    allowed: str | None = None
    choices: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    least: float | None = None
    above: float | None = None
    most: float | None = None

    @property
    def option(self) -> str:
        """The name in code and in `set`, where a length of time has its own type."""
        return self.name.removesuffix("_seconds")

    def is_of(self, kind: str) -> bool:
        """Whether things of this type have it."""
        return not self.types or kind in self.types

    @property
    def takes(self) -> str:
        """Which values it takes, in words."""
        return self._values() + (", or none" if self.none else "")

    def _values(self) -> str:
        if self.kind == "flag":
            return "true or false"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "moment":
            return "a time with a time zone between the years 1900 and 9000"
        if self.kind == "json":
            return "an object"
        if self.kind in ("text", "id", "list"):
            return self.allowed or "text"
        # Only what has a range gets here, and the test of settings asks for one.
        start, end = ("from", "to") if self.above is None else ("above", "and at most")
        return f"{_UNITS[self.kind]} {start} {self.least or self.above or 0:,} {end} {self.most:,}"


@dataclass(frozen=True, slots=True)
class SettingsRule:
    """What two settings must have in common, named as the check constraint of the table that says the same."""

    constraint: str
    field: str
    sentence: str
    holds: Callable[[Any], bool]


# Of a definition and of a trigger alike. Definitions of Headrace itself are exempt.
NOT_THE_SYSTEM_QUEUE = SettingsRule(
    "not_the_system_queue",
    "queue",
    f'The queue "{SYSTEM_QUEUE}" is for the jobs of Headrace itself: name another queue.',
    lambda of: of.queue != SYSTEM_QUEUE,
)


class SettingsModel(BaseModel):
    """All settings, or those that somebody says. Reading asks no rule over two settings: the other may be left out."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)
    rules: ClassVar[tuple[SettingsRule, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, given: Any) -> Any:
        return refuse_many_unknown(given, cls.model_fields)

    @classmethod
    def read(cls, values: Mapping[str, Any], *, names: Mapping[str, str] | None = None) -> Self:
        """The settings, or one `BadRequest` with all problems; `names` are those that the caller knows, by column."""
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            found = dict(_problems(cls, error, names or {}))
            raise BadRequest("; ".join(found.values()), field=next(iter(found)) or None) from None

    @classmethod
    def of(cls, other: BaseModel) -> Self:
        """These settings of a model that has more than them and was read already."""
        values = {name: getattr(other, name) for name in cls.model_fields}
        return cls.model_construct(_fields_set=other.model_fields_set & values.keys(), **values)

    def broken_rules(self) -> list[SettingsRule]:
        """Of settings that are complete."""
        return [rule for rule in self.rules if not rule.holds(self)]

    def check_rules(self) -> Self:
        """Complete settings, or `BadRequest` for the first rule that does not hold."""
        for rule in self.broken_rules():
            raise BadRequest(rule.sentence, field=rule.field)
        return self


def _problems(
    model: type[SettingsModel], error: ValidationError, names: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    known = settings_of(model)
    for found in error.errors(include_url=False):
        name = str(found["loc"][0]) if found["loc"] else ""
        said = names.get(name, name)
        if not name:
            yield name, found["msg"]
        elif name in known:
            yield name, f"{said} is {known[name].takes}, not {found['input']!r}"
        else:
            yield name, f"unknown setting {said}; known settings: {', '.join(known)}"


@cache
def settings_of(model: type[BaseModel]) -> Mapping[str, Setting]:
    """Every setting of a model by its name; fields of a subclass that are no settings are left out."""
    return {name: _setting(name, field) for name, field in model.model_fields.items() if _words(field)}


def _words(field: FieldInfo) -> Mapping[str, Any]:
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) and "x-group" in extra else {}


def _setting(name: str, field: FieldInfo) -> Setting:
    words = _words(field)
    bounds = {end: getattr(one, end) for one in field.metadata for end in ("ge", "gt", "le") if hasattr(one, end)}
    return Setting(
        name=name,
        kind=_kind(name, field),
        label=words["x-label"],
        help=field.description or "",
        group=words["x-group"],
        default=field.default,
        none=words.get("x-none"),
        needs=words.get("x-needs"),
        allowed=words.get("x-allowed"),
        choices=_choices(field),
        types=tuple(words.get("x-types", ())),
        least=bounds.get("ge"),
        above=bounds.get("gt"),
        most=bounds.get("le"),
    )


def _kind(name: str, field: FieldInfo) -> Kind:
    kind = _annotation(field)
    if kind is float:
        return next((word for unit, word in _OF_UNIT.items() if name.endswith(unit)), "number")
    return "choice" if get_origin(kind) is Literal else _OF_TYPE[get_origin(kind) or kind]


def _choices(field: FieldInfo) -> tuple[str, ...]:
    kind = _annotation(field)
    return get_args(kind) if get_origin(kind) is Literal else ()


def _annotation(field: FieldInfo) -> Any:
    """The type itself: without null, and without what is asked of its values."""
    kind: Any = field.annotation
    if type(None) in get_args(kind):
        kind = next(one for one in get_args(kind) if one is not NoneType)
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind
