"""Allow-listed commands, each under a monitor that ends its whole process tree.

```
worker ──▶ spawner (one per worker, warm)
   │          └─fork─▶ monitor (one per attempt) ─fork, exec─▶ command
   └── control socket of the attempt ──▶ monitor
```

`argv` and `check_argv` say what a command is called with, `launch` how it is started and ended, `preflight` what would
keep it from running here. `executor`, `attempt`, `output` and `spawner` are the worker's side; `keeper` is the other.
"""
