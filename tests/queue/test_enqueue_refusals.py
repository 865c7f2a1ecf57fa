"""What enqueue refuses, it refuses with a clear error, and nothing is written."""

from __future__ import annotations

import json

from tests.at_once import refusal
from tests.engine import Engine

from headrace.db.sqlstate import BY_SQLSTATE
from headrace.model.job.record import Terms
from headrace.queue.claim import fetch_claimed

FOOTPRINT = """
select (select count(*) from headrace.job), (select count(*) from headrace.queue), (select count(*) from headrace.lane),
       (select count(*) from headrace.idempotency), (select count(*) from headrace.attempt)
"""

# arguments beside the definition `work`, the SQLSTATE, words of the message
SINGLE = {
    "a tenant nobody made": ("tenant => 'nobody'", "HR404", 'unknown tenant "nobody"'),
    "no tenant": ("tenant => null", "HR404", "unknown tenant"),
    "a priority below zero": ("priority => -1", "HR400", "priority -1 is out of range"),
    "a priority above 1000": ("priority => 1001", "HR400", "priority 1001 is out of range"),
    "no attempt at all": ("max_attempts => 0", "HR400", "max_attempts 0 is out of range"),
    "too many attempts": ("max_attempts => 1001", "HR400", "max_attempts 1001 is out of range"),
    "a list as payload": ("payload => '[1]'", "HR400", "must be a JSON object"),
    "a JSON null as payload": ("payload => 'null'", "HR400", "must be a JSON object"),
    "a payload over a megabyte": (
        "payload => jsonb_build_object('x', repeat('x', 1048577))",
        "HR413",
        "payload is too large",
    ),
    "a NUL in a payload's text": (r"""payload => '{"x": "a\u0000b"}'""", "22P05", "Unicode escape"),
    "a payload that is not JSON": ("payload => '{'", "22P02", "invalid input syntax for type json"),
    "an empty dedupe key": ("dedupe_key => ''", "HR400", "1 to 500 characters"),
    "a long dedupe key": ("dedupe_key => repeat('k', 501)", "HR400", "1 to 500 characters"),
    "an empty idempotency key": ("idempotency_key => ''", "HR400", "1 to 500 characters"),
    "a long idempotency key": ("idempotency_key => repeat('k', 501)", "HR400", "1 to 500 characters"),
    "a queue with a blank in its name": (
        "queue => 'not a name'",
        "HR400",
        'the queue "not a name" is not a valid name',
    ),
    "a queue without a name": ("queue => ''", "HR400", 'the queue "" is not a valid name'),
    "no source": ("source => null", "HR400", "source may not be null"),
    "a time before Christ": ("scheduled_for => '0044-03-15 BC'", "HR400", "between the years 1900 and 9000"),
    "a time that Python has no year for": (
        "scheduled_for => '10000-01-01'",
        "HR400",
        "between the years 1900 and 9000",
    ),
    "JavaScript's largest date": ("scheduled_for => '275760-09-13'", "HR400", "between the years 1900 and 9000"),
    "a time just too early": ("scheduled_for => '1899-12-31 23:59Z'", "HR400", "between the years 1900 and 9000"),
    "no end of time": ("scheduled_for => 'infinity'", "HR400", "between the years 1900 and 9000"),
    "a payload that nests too deep": (
        """payload => (repeat('{"a":', 201) || '1' || repeat('}', 201))::jsonb""",
        "HR400",
        "it is nested more than 200 deep",
    ),
    "arrays that nest too deep": (
        """payload => ('{"a":' || repeat('[', 200) || repeat(']', 200) || '}')::jsonb""",
        "HR400",
        "it is nested more than 200 deep",
    ),
    "a number of too many digits": (
        """payload => ('{"a": [' || repeat('9', 4301) || ']}')::jsonb""",
        "HR400",
        "it has a number of more than 4300 digits",
    ),
    "a number whose exponent makes it too long": (
        """payload => '{"a": -1e4300}'""",
        "HR400",
        "it has a number of more than 4300 digits",
    ),
    "an unknown kind of dedupe": (
        "dedupe_key => 'k', dedupe_while => 'ever'",
        "HR400",
        'must be "live" or "waiting", not "ever"',
    ),
    "no kind of dedupe": ("dedupe_key => 'k', dedupe_while => null", "HR400", "dedupe_while must be"),
}

# payloads and arguments of a bulk whose other jobs would have been fine
BULK = {
    "one payload that is null": ("array['{}', null]::jsonb[]", "HR400", "must be a JSON object"),
    "one payload that is a number": ("array['{}', '1']::jsonb[]", "HR400", "must be a JSON object"),
    "fewer keys than payloads": ("array['{}', '{}']::jsonb[], dedupe_keys => '{k}'", "HR400", "one key (or null)"),
    "more keys than payloads": (
        "array['{}', '{}']::jsonb[], idempotency_keys => '{a,b,c}'",
        "HR400",
        "one key (or null)",
    ),
    "one key that is empty": ("array['{}', '{}']::jsonb[], dedupe_keys => array['k', '']", "HR400", "1 to 500"),
    "too many jobs": ("array_fill('{}'::jsonb, array[100001])", "HR400", "too many jobs in one call: 100001"),
    "one idempotency key for two requests": (
        """array['{"a": 1}', '{"a": 2}']::jsonb[], idempotency_keys => '{k,k}'""",
        "HR409",
        'idempotency key "k" was used before',
    ),
}


async def assert_refused(engine: Engine, statement: str, sqlstate: str, words: str) -> None:
    before = await engine.db.fetchrow(FOOTPRINT)
    error = await refusal(engine.db.fetch(statement))
    assert (error.sqlstate, words in str(error)) == (sqlstate, True), f"{statement}: {error}"
    # A program gets a 4xx for it, not "something went wrong".
    assert 400 <= BY_SQLSTATE[sqlstate].status < 500
    assert await engine.db.fetchrow(FOOTPRINT) == before, statement


async def test_a_bad_request_is_refused_and_writes_nothing(engine: Engine) -> None:
    await engine.enqueue(dedupe_key="other", idempotency_key="other")
    for arguments, sqlstate, words in SINGLE.values():
        await assert_refused(engine, f"select headrace.enqueue('work', {arguments})", sqlstate, words)


async def test_one_bad_request_refuses_the_whole_bulk(engine: Engine) -> None:
    await engine.enqueue()
    for arguments, sqlstate, words in BULK.values():
        await assert_refused(engine, f"select headrace.enqueue_many('work', {arguments})", sqlstate, words)


async def test_what_python_can_just_read_is_taken_and_read_back(engine: Engine) -> None:
    worker = await engine.worker()
    taken = [
        '{"a":' * 200 + "1" + "}" * 200,
        '{"a":' + "[" * 199 + "]" * 199 + "}",
        '{"a": ' + "9" * 4300 + "}",
        '{"a": 1e4299}',
        '{"a": "' + "9" * 5000 + '", "b": 0.' + "1" * 5000 + "}",
        '{"a": "' + "[{" * 500 + '"}',
    ]
    for payload in taken:
        await engine.enqueue(payload=payload)
    held = await engine.claim(worker)
    found = await fetch_claimed(engine.db, held, terms={h.lane_id: Terms("work") for h in held}, tenants={1: "default"})
    assert [json.loads(job.payload) for job in found] == [
        json.loads(p.replace("1e4299", "1" + "0" * 4299)) for p in taken
    ]


async def test_an_unknown_definition_is_refused(engine: Engine) -> None:
    await engine.enqueue()
    await assert_refused(engine, "select headrace.enqueue('nobody')", "HR404", 'unknown definition "nobody"')
    await assert_refused(engine, "select headrace.enqueue(null)", "HR404", "unknown definition")


async def test_a_disabled_definition_is_refused(engine: Engine) -> None:
    await engine.define(enabled=False)
    await assert_refused(engine, "select headrace.enqueue('work')", "HR409", 'definition "work" is disabled')


async def test_a_definition_removed_from_the_code_is_refused(engine: Engine) -> None:
    await engine.define()
    await engine.db.execute("update headrace.definition set deleted_from_code_at = now()")
    await assert_refused(engine, "select headrace.enqueue('work')", "HR409", "was removed from the code")


async def test_a_key_with_a_nul_is_refused(engine: Engine) -> None:
    for option in ("dedupe_key", "idempotency_key"):
        error = await refusal(engine.enqueue(**{option: "a\x00b"}))
        assert error.sqlstate == "22021"
        assert BY_SQLSTATE["22021"].status == 400
    assert await engine.db.fetchval("select count(*) from headrace.queue") == 0
