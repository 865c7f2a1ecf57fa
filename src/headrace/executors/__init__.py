"""How an attempt runs. Executors see only the model.

| executor | handler | can be stopped | at its timeout |
|---|---|---|---|
| `call_on_loop` | `async def` | yes, at its next `await` | cancelled |
| `ThreadExecutor` | `def` | only if it looks at `ctx.canceled` | given up; its place stays taken until it ends |
| `ProcessExecutor` | either, with `isolation="process"` | yes | its process is ended |
"""
