"""SQL jobs: one function of the database, in one transaction, under a LOGIN role of its own.

`executor` takes a run through its life; `login` begins a session that no function has prepared; `call` is the
transaction, armed against a worker that dies; `function` finds the function and words the call; `answer` reads what it
returned; `notices` hands on what it said meanwhile; `control` ends what does not end; `ended` says what came of it.
"""

from headrace.executors.sql.ended import SqlEnded
from headrace.executors.sql.executor import SqlExecutor
from headrace.executors.sql.function import SqlFunction

__all__ = ["SqlEnded", "SqlExecutor", "SqlFunction"]
