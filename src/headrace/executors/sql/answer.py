"""What a function returned: `{"success": bool, "message": text, "details"?: object, "commit"?: bool}`."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.db.connect import Connection
from headrace.executors.sql.ended import SqlEnded, failed
from headrace.executors.sql.function import SqlFunction
from headrace.model.job.outcome import Failed, Succeeded
from headrace.model.payload.json_storage import storage_problem
from headrace.model.text import MAX_RESULT


@dataclass(frozen=True, slots=True)
class Answer:
    """How the attempt ends, and whether the function's work stays."""

    ended: SqlEnded
    keep: bool


async def call_function(conn: Connection, call: str, function: SqlFunction, payload: str) -> Answer:
    """Call the function once, by the statement that `find_call` gave, and read its answer."""
    arguments = (MAX_RESULT,) if function.signature == "()" else (MAX_RESULT, payload)
    row = await conn.fetchrow(call, *arguments)
    if row is None:
        return _not_kept(f"{function} returned nothing")
    if row["problem"] is not None:
        return _not_kept(f'{function} must return {{"success": true or false, "message": text}}, but {row["problem"]}')
    if not row["success"]:
        keep = bool(row["commit"])
        return Answer(SqlEnded(Failed(row["message"]), committed=keep, answer=row["result"]), keep)
    if row["result"] is None:
        # Before the commit: work whose result cannot be kept would look undone for ever.
        return _not_kept(f"the result cannot be stored: it has {row['size']:,} bytes (at most {MAX_RESULT:,})")
    if (excess := storage_problem(row["result"], MAX_RESULT)) is not None:
        return _not_kept(f"the result cannot be stored: {excess}")
    return Answer(SqlEnded(Succeeded(row["result"]), committed=True), keep=True)


def _not_kept(problem: str) -> Answer:
    return Answer(failed(problem), keep=False)
