"""Commands about this machine and its database, and those that run until they are stopped: called from a shell."""

from __future__ import annotations

from typing import NamedTuple


class Process(NamedTuple):
    """How a command is tried that does not speak to the API."""

    # A part of what the example says.
    says: str
    # What is wrong, after the command's own words; how it ends, and a part of the one line about it.
    bad: str
    code: int
    complaint: str
    # Names that each object has which programs get; none for a command without --json.
    keys: str = ""
    # What is called before.
    before: str = ""
    # It runs until it is stopped.
    stays: bool = False


NO_APP = "unknown module 'nowhere'"

MACHINE = {
    "dev": Process("worker started", "nowhere:hr", 2, NO_APP, stays=True),
    "serve": Process("server started", "--port 99999999", 2, "server.port = 99999999", stays=True),
    "worker": Process("worker started", "nowhere:hr", 2, NO_APP, stays=True),
    "definitions sync": Process("added    ship", "shop.jobs:hr --config nowhere.toml", 2, "nowhere.toml"),
    "commands check": Process("/bin/echo", "nobody", 3, "unknown command 'nobody'"),
    "config show": Process("", "--config nowhere.toml", 2, "nowhere.toml", "key value source"),
    "config get": Process("4", "jobs.worker", 3, "did you mean jobs.worker_concurrency?"),
    "config set": Process("", "jobs.worker_concurrency many", 2, "jobs.worker_concurrency"),
    "config init": Process("headrace.toml", "headrace.toml", 1, "exists: choose another name"),
    "config check": Process("", "--config nowhere.toml", 2, "nowhere.toml"),
    "db migrate": Process("nothing to do", "--config nowhere.toml", 2, "nowhere.toml"),
    "db rollback": Process("rolled back ", "--steps 0", 2, "--steps"),
    "db status": Process("PostgreSQL 18", "--config nowhere.toml", 2, "nowhere.toml"),
    "db url": Process("postgresql://", "--config nowhere.toml", 2, "nowhere.toml"),
    "db psql": Process("(0 rows)", "--config nowhere.toml", 2, "nowhere.toml"),
    "db roles": Process("headrace_worker", "--config nowhere.toml", 2, "nowhere.toml"),
    "sign-in": Process("http://127.0.0.1:8720/#code=", "--config nowhere.toml", 2, "nowhere.toml", "link"),
    "login": Process("kept", "localhost --token hr_x", 2, "--url is the address of a server", "url file"),
    "logout": Process("", "http://127.0.0.1:1", 3, "no token is stored", "url", before="login"),
}
