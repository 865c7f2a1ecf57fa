"""A declaration that could not be stored is refused where it is written."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from headrace.db.connect import Connection
from headrace.define.sync import sync_definitions
from headrace.errors import BadRequest
from headrace.model.definition import Definition, declare
from headrace.model.job.retry import RetryPolicy
from headrace.model.trigger.declaration import TriggerDeclaration

BAD = [
    ({"key": ""}, "a key has 1 to 200 of"),
    ({"key": "-dash"}, "a key has 1 to 200 of"),
    ({"key": "with space"}, "a key has 1 to 200 of"),
    ({"key": "newline\n"}, "a key has 1 to 200 of"),
    ({"key": "k" * 201}, "a key has 1 to 200 of"),
    ({"key": "ключ"}, "a key has 1 to 200 of"),
    ({"queue": "*"}, "queue is 1 to 100 of A-Z a-z 0-9 _ . : - that begin with a letter or digit, not '*'"),
    ({"priority": -1}, "priority is a whole number from 0 to 1,000, not -1"),
    ({"priority": None}, "priority is a whole number from 0 to 1,000, not None"),
    ({"timeout": timedelta(0)}, "timeout is a number of seconds above 0 and at most 31,536,000, or none, not 0.0"),
    ({"retention_days": -1}, "retention_days is a number of days from 0 to 3,650, or none, not -1"),
    ({"rate_per_key": 1}, "rate_per_key is true or false, not 1"),
    ({"tags": "mail"}, "tags is at most 100 texts without NUL, not 'mail'"),
    ({"tenants": "acme"}, "tenants is 1 to 1,000 names of tenants, or none, not 'acme'"),
    (
        {"tenants": ["acme"], "triggers": (TriggerDeclaration("x", {"cron": "* * * * *"}),)},
        'triggers in code belong to the tenant "default", which tenants does not name',
    ),
    ({"rate_limit": "often"}, "a rate is a number and a period, for example 10/s"),
    ({"rate_burst": 2}, "rate_burst needs a rate_limit"),
    ({"rate_per_key": True}, "A limit for each key needs a concurrency_key"),
    ({"owner": "me"}, "unknown setting owner; known settings: queue, priority"),
]


@pytest.mark.parametrize(("said", "message"), BAD)
def test_a_bad_value_is_named(said: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as refused:
        declare(**{"key": "work"} | said)
    assert message in str(refused.value)
    assert f"definition {said.get('key', 'work')!r}" in str(refused.value)


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(BadRequest) as refused:
        declare("work", queue="!", priority=-1, max_attempts=0, timeout=timedelta(0))
    assert str(refused.value).count("; ") == 3


async def test_a_key_at_the_edge_is_accepted_here_and_by_the_database(connection: Connection) -> None:
    keys = ["A.b:c_d-9", "k", "k" * 200]
    report = await sync_definitions(connection, [declare(key) for key in keys], app="test", complete=False)
    assert report.added == keys


def test_what_code_says_is_read_with_its_shorthands() -> None:
    waits = RetryPolicy(timedelta(seconds=1), timedelta(seconds=2), timedelta(0))
    said = declare(
        "work", timeout=timedelta(minutes=1), retry=waits, rate_limit="10/m", tags=["a"], concurrency_key="a"
    )
    plain = declare(
        "work",
        timeout=60,
        retry_base=1,
        retry_cap=2,
        retry_jitter=0,
        rate_limit=10,
        rate_period=60,
        tags=("a",),
        concurrency_key="a",
        max_concurrency_per_key=1,
    )
    assert said.settings.model_dump() == plain.settings.model_dump()


def test_the_number_of_attempts_has_a_default_where_code_does_not_say_it() -> None:
    assert declare("work").with_attempts(7).settings.max_attempts == 7
    assert declare("work", max_attempts=2).with_attempts(7).settings.max_attempts == 2


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
    assert declare(**{"key": "work"} | said).hash != declare("work").hash


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
