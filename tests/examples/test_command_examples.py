"""The commands of the examples do what their file says, run as the README says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.examples.running import Terminals, have_ended

from headrace.db.connect import Connection

TOKEN = "tok-4711-example"


@pytest.fixture
def terminals(tmp_path: Path, database_url: str) -> Terminals:
    return Terminals("commands", tmp_path, database_url, API_TOKEN=TOKEN)


async def test_three_commands_run_and_show_what_came_of_them(terminals: Terminals, connection: Connection) -> None:
    async with terminals.worker(connection):
        terminals.psql("enqueue.sql")
        await have_ended(connection, 7)
        said = terminals.psql("look.sql")
    assert TOKEN not in said
    assert TOKEN not in (terminals.folder / "said.log").read_text("utf-8")
    rows = await connection.fetch(
        "select definition, payload, status, result, last_error, attempt_count from headrace.jobs order by id"
    )
    assert [(row["definition"], row["status"], row["attempt_count"]) for row in rows] == [
        ("count-files", "succeeded", 1),
        ("count-files", "dead_letter", 0),
        ("count-files", "dead_letter", 0),
        ("add-up", "succeeded", 1),
        ("add-up", "failed", 1),
        ("add-up", "scheduled", 1),
        ("call-service", "succeeded", 1),
    ]
    assert 'the payload does not fit: folder: "etc" does not match "^/"' in rows[1]["last_error"]
    assert "depth" in rows[2]["last_error"]
    assert json.loads(rows[3]["result"]) == {"total": 13, "lines": 2}
    assert [row["last_error"] for row in rows[4:6]] == ["exit code 64", "exit code 75"]
    assert json.loads(rows[6]["result"]) == {"asked_for": "orders"}
    details = [
        json.loads(row[0])
        for row in await connection.fetch("select detail from headrace.attempt where detail is not null")
    ]
    assert sorted(detail["exit_code"] for detail in details) == [0, 0, 0, 64, 75]
    assert all(detail["argv_hash"] and detail["pid"] and detail["leftovers"] == 0 for detail in details)
    lines = [
        (row["stream"], row["message"])
        for row in await connection.fetch(
            "select stream, message from headrace.log join headrace.definition as d on d.id = definition_id"
            " where d.key = 'call-service' order by stream, seq"
        )
    ]
    assert lines == [
        (1, "asking for orders with token ***"),
        (1, '{"asked_for": "orders"}'),
        (2, "the service was slow"),
    ]
    assert "call-service|1|1|1|asking for orders with token ***" in said
    assert "add-up|1|1|2|an order without lines will not get any" in said


def test_the_check_shows_what_a_payload_would_run(terminals: Terminals) -> None:
    done = terminals.shell.call("commands", "check", "call-service", "--payload", '{"what": "orders"}')
    assert done.code == 0, done.err
    assert '"call-service", "orders"]' in done.out
    done = terminals.shell.call("commands", "check", "call-service", "--payload", '{"what": "-rf"}')
    assert done.code == 1
    assert "problem: the payload does not fit: what:" in done.err
