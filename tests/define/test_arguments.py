"""A handler's signature is its payload's schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from headrace.context import Context
from headrace.define.signature import Arguments, BadHandler
from headrace.errors import ValidationError

if TYPE_CHECKING:
    from fractions import Fraction


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Address(BaseModel):
    street: str
    number: int = 1


@dataclass
class Point:
    x: float
    y: float


def refused(function: Any, arguments: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as error:
        Arguments(function).to_json(arguments)
    return str(error.value)


# -- the schema


def test_the_schema_has_types_defaults_and_what_is_required() -> None:
    def send(to: str, copies: int = 2, *, tags: list[str] | None = None) -> None: ...

    schema = Arguments(send).schema()
    assert schema["type"] == "object"
    assert schema["required"] == ["to"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["to"]["type"] == "string"
    assert schema["properties"]["copies"]["default"] == 2
    assert schema["properties"]["tags"]["default"] is None
    assert list(schema["properties"]) == ["to", "copies", "tags"]


def test_defaults_are_written_as_json() -> None:
    def work(colour: Colour = Colour.RED, day: date = date(2026, 1, 2), where: Path = Path("/tmp")) -> None: ...  # noqa: S108

    properties = Arguments(work).schema()["properties"]
    assert [properties[name]["default"] for name in ("colour", "day", "where")] == ["red", "2026-01-02", "/tmp"]  # noqa: S108
    json.dumps(properties)


def test_a_default_that_is_not_json_is_left_out_of_the_schema() -> None:
    def work(x: Any = object(), y: float = float("inf")) -> None: ...  # noqa: B008

    schema = Arguments(work).schema()
    assert "default" not in schema["properties"]["x"]
    json.dumps(schema, allow_nan=False)


def test_no_arguments_is_an_empty_object() -> None:
    def work() -> None: ...

    arguments = Arguments(work)
    assert arguments.schema()["properties"] == {}
    assert arguments.to_json({}) == "{}"
    assert arguments.from_json("{}") == {}


def test_the_context_is_no_argument() -> None:
    def work(x: int, ctx: Context, y: int = 0) -> None: ...

    arguments = Arguments(work)
    assert arguments.context_parameter == "ctx"
    assert arguments.names == {"x", "y"}
    assert "ctx" not in arguments.schema()["properties"]
    assert "ctx" in refused(work, {"x": 1, "ctx": 2})


def test_the_context_may_have_any_name_or_be_absent() -> None:
    def first(run: Context, x: int) -> None: ...

    def second(ctx: int) -> None: ...

    assert Arguments(first).context_parameter == "run"
    assert Arguments(second).context_parameter is None


def test_a_parameter_without_annotation_takes_any_json() -> None:
    def work(x, y=1):  # type: ignore[no-untyped-def]
        ...

    assert json.loads(Arguments(work).to_json({"x": {"deep": [1, None]}})) == {"x": {"deep": [1, None]}}


# -- what does not fit


def test_an_unknown_argument_is_named() -> None:
    def work(x: int) -> None: ...

    assert "y: Extra inputs are not permitted" in refused(work, {"x": 1, "y": 2})


def test_a_missing_argument_is_named() -> None:
    def work(x: int, y: int) -> None: ...

    assert "y: Field required" in refused(work, {"x": 1})


def test_a_wrong_type_is_named_with_the_function_and_the_argument() -> None:
    def work(x: int) -> None: ...

    message = refused(work, {"x": "many"})
    assert "work" in message
    assert "x: Input should be a valid integer" in message


def test_a_wrong_type_deep_inside_is_named_by_its_path() -> None:
    def work(people: list[Address]) -> None: ...

    assert "people.1.number: Input" in refused(work, {"people": [{"street": "a"}, {"street": "b", "number": "x"}]})


def test_every_problem_is_named_at_once() -> None:
    def work(x: int, y: int) -> None: ...

    message = refused(work, {"x": "a", "z": 1})
    assert all(f"{name}: " in message for name in "xyz")


@pytest.mark.parametrize("payload", ["[]", "null", "1", "not json", ""])
def test_a_stored_payload_that_is_no_object_is_refused(payload: str) -> None:
    def work(x: int = 0) -> None: ...

    with pytest.raises(ValidationError, match="the payload does not fit"):
        Arguments(work).from_json(payload)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_does_not_have_is_refused_and_not_made_null(number: float) -> None:
    def work(x: float) -> None: ...

    assert "x: Input should be a finite number" in refused(work, {"x": number})


def test_what_cannot_be_kept_as_json_is_refused_in_our_words() -> None:
    def work(x: Any) -> None: ...

    loop: list[Any] = []
    loop.append(loop)
    for value in (object(), loop, "\ud800"):
        assert "cannot be kept as JSON" in refused(work, {"x": value})


# -- what cannot be a handler


def test_parameters_that_cannot_be_named_are_refused() -> None:
    def positional(x: int, /) -> None: ...

    def several(*xs: int) -> None: ...

    def anything(**kw: int) -> None: ...

    for function in (positional, several, anything):
        with pytest.raises(BadHandler, match="must accept its argument by name"):
            Arguments(function)


def test_an_annotation_imported_for_the_type_checker_only_is_explained() -> None:
    def work(x: Fraction) -> None: ...

    with pytest.raises(BadHandler, match=r"Fraction.*not under TYPE_CHECKING"):
        Arguments(work)


def test_a_type_that_cannot_be_json_is_refused() -> None:
    class Socket: ...

    def work(x: Any) -> None: ...

    work.__annotations__["x"] = Socket
    with pytest.raises(BadHandler, match=r"work: an argument's type .*Socket"):
        Arguments(work)


# -- there and back


def test_arguments_come_back_as_what_they_were() -> None:
    def work(
        address: Address,
        point: Point,
        at: datetime,
        day: date,
        span: timedelta,
        colour: Colour,
        mode: Literal["fast", "slow"],
        price: Decimal,
        who: UUID,
        where: Path,
        names: set[str],
        pair: tuple[int, str],
        by_name: dict[str, Address],
        raw: bytes,
        positive: Annotated[int, Field(gt=0)],
        maybe: Address | None,
    ) -> None: ...

    given = {
        "address": Address(street="High"),
        "point": Point(1.5, -2),
        "at": datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        "day": date(2026, 3, 29),
        "span": timedelta(minutes=90),
        "colour": Colour.BLUE,
        "mode": "slow",
        "price": Decimal("19.99"),
        "who": UUID(int=9),
        "where": Path("/srv/data"),
        "names": {"a", "b"},
        "pair": (1, "x"),
        "by_name": {"home": Address(street="Low", number=4)},
        "raw": b"bytes",
        "positive": 3,
        "maybe": None,
    }
    arguments = Arguments(work)
    assert arguments.from_json(arguments.to_json(given)) == given


def test_plain_values_are_accepted_for_rich_types() -> None:
    def work(address: Address, at: datetime, colour: Colour) -> None: ...

    plain = {"address": {"street": "High"}, "at": "2026-03-29T01:30:00Z", "colour": "red"}
    back = Arguments(work).from_json(Arguments(work).to_json(plain))
    assert back == {
        "address": Address(street="High"),
        "at": datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        "colour": Colour.RED,
    }


def test_a_default_is_not_written_into_the_payload() -> None:
    def work(x: int, y: int = 5) -> None: ...

    assert Arguments(work).to_json({"x": 1}) == '{"x":1}'
    assert Arguments(work).from_json('{"x": 1}') == {"x": 1}


def test_names_that_mean_something_to_pydantic_are_ordinary_arguments() -> None:
    def work(
        json: int, copy: str, model: str, schema: int, model_config: int, model_fields: int, validate: bool
    ) -> None: ...

    given = {
        "json": 1,
        "copy": "c",
        "model": "m",
        "schema": 2,
        "model_config": 3,
        "model_fields": 4,
        "validate": True,
    }
    arguments = Arguments(work)
    assert arguments.names == set(given)
    assert arguments.from_json(arguments.to_json(given)) == given
