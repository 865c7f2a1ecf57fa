"""How an attempt runs. No executor knows the queue or definitions, and only `sql` knows a database.

| executor | handler | can be stopped | at its timeout |
|---|---|---|---|
| none: the runner awaits it | `async def` | yes, at its next `await` | cancelled |
| `ThreadExecutor` | `def` | only if it looks at `ctx.canceled` | given up; its place stays taken until it ends |
| `ProcessExecutor` | either, with `isolation="process"` | yes | its process is ended |
| `CommandExecutor` | a command of the configuration | yes | its whole process tree is ended |
| `SqlExecutor` | a function of the database | yes | its session is ended, and its work is rolled back |

`worker.run.dispatch` says which executor runs which kind of job.
"""
