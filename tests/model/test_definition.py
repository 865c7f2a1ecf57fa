"""A declaration that could not be stored is refused where it is written."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headrace.db.connect import Connection
from headrace.define.sync import sync_definitions
from headrace.model.definition import Definition
from headrace.model.job.retry import RetryPolicy
from headrace.model.settings.trigger import TriggerDeclaration

BAD = [
    ({"key": ""}, "a key has 1 to 200 of"),
    ({"key": "-dash"}, "a key has 1 to 200 of"),
    ({"key": "with space"}, "a key has 1 to 200 of"),
    ({"key": "newline\n"}, "a key has 1 to 200 of"),
    ({"key": "k" * 201}, "a key has 1 to 200 of"),
    ({"key": "ключ"}, "a key has 1 to 200 of"),
    ({"queue": ""}, "queue '' is not a valid name"),
    ({"queue": "*"}, "queue '*' is not a valid name"),
    ({"queue": "q" * 101}, "is not a valid name"),
    ({"priority": -1}, "priority -1 is out of range (0 to 1000, lower runs first)"),
    ({"priority": 1001}, "priority 1001 is out of range"),
    ({"max_attempts": 0}, "max_attempts 0 is out of range (1 to 1000)"),
    ({"max_attempts": 1001}, "max_attempts 1001 is out of range"),
    ({"timeout": timedelta(0)}, "timeout must be more than zero"),
    ({"timeout": timedelta(seconds=-1)}, "timeout must be more than zero"),
]
EDGES: list[dict[str, Any]] = [
    {"key": "k"},
    {"key": "A.b:c_d-9"},
    {"key": "k" * 200},
    {"queue": "q" * 100},
    {"priority": 0},
    {"priority": 1000},
    {"max_attempts": 1},
    {"max_attempts": 1000},
    {"timeout": timedelta(microseconds=1)},
]


@pytest.mark.parametrize(("said", "message"), BAD)
def test_a_bad_value_is_named(said: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        Definition(**{"key": "work"} | said)
    assert message in str(refused.value)
    assert f"definition {said.get('key', 'work')!r}" in str(refused.value)


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(ValueError) as refused:
        Definition(key="work", queue="!", priority=-1, max_attempts=0, timeout=timedelta(0))
    assert str(refused.value).count("; ") == 3


async def test_a_value_at_the_edge_is_accepted_here_and_by_the_database(connection: Connection) -> None:
    for number, said in enumerate(EDGES):
        definition = Definition(**{"key": f"work{number}"} | said)
        report = await sync_definitions(connection, [definition], app="test", complete=False)
        assert report.added == [definition.key]


@pytest.mark.parametrize(
    "said",
    [
        {"key": "other"},
        {"kind": "sql"},
        {"description": "other"},
        {"tags": ("a",)},
        {"payload_schema": {"type": "object"}},
        {"triggers": (TriggerDeclaration("x", {"cron": "* * * * *"}),)},
        {"queue": "other"},
        {"priority": 1},
        {"max_attempts": 1},
        {"timeout": timedelta(seconds=1)},
        {"retry": RetryPolicy(base=timedelta(seconds=1))},
        {"retry": RetryPolicy(cap=timedelta(seconds=1))},
        {"retry": RetryPolicy(jitter=timedelta(seconds=0))},
    ],
    ids=str,
)
def test_the_hash_changes_with_anything_declared(said: dict[str, Any]) -> None:
    assert Definition(**{"key": "work"} | said).hash != Definition(key="work").hash


def test_the_hash_is_the_same_for_the_same_declaration() -> None:
    first = Definition(key="work", payload_schema={"a": 1, "b": 2})
    assert first.hash == Definition(key="work", payload_schema={"b": 2, "a": 1}).hash


def test_what_a_schema_says_of_secrets_by_way_of_example_is_left_out() -> None:
    schema: dict[str, Any] = {
        "properties": {
            "password": {"type": "string", "default": "hunter2"},
            "keys": {"items": {"writeOnly": True, "examples": ["hunter2"]}, "default": []},
            "more": {"items": {"writeOnly": True}, "default": ["hunter2"]},
            "default": {"type": "string", "default": "shown"},
        }
    }
    kept = Definition(key="a", payload_schema=schema).payload_schema
    assert "hunter2" not in str(kept)
    assert (kept["properties"]["keys"]["default"], kept["properties"]["default"]["default"]) == ([], "shown")
    assert schema["properties"]["password"]["default"] == "hunter2"
