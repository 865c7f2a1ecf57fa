"""What runs, where it waits, and what it says."""

from __future__ import annotations

from tests.cli.every.entry import NOTHING, Entry

EVENT = "id name data emitted_at deliveries"
DEFINITION = "key kind queue priority max_attempts enabled"
WORKER = "id name state concurrency running"
QUEUE = "queue paused depth workers"
LINE = "run seq at level message job_id definition"

WORK = {
    "events emit": Entry("emitted  ", "folder.updated --data '{no'", 2, "--data is not JSON", "id"),
    "events list": Entry("folder.updated", "--limit 0", 2, "--limit", EVENT, before=("events emit folder.updated",)),
    "events show": Entry("folder.updated", NOTHING, 3, "see headrace events list", EVENT),
    "definitions list": Entry("say_hello", "--limit 0", 2, "--limit", DEFINITION),
    "definitions show": Entry("say_hello", "nobody", 3, "see headrace definitions list", DEFINITION),
    "definitions enable": Entry("say_hello  enabled yes", "nobody", 3, "see headrace definitions list", DEFINITION),
    "definitions disable": Entry(
        "say_hello  enabled no",
        "nobody",
        3,
        "see headrace definitions list",
        DEFINITION,
        after=("definitions enable say_hello",),
    ),
    "definitions set": Entry("say_hello  priority 10", "say_hello prio=1", 2, "prio", DEFINITION),
    "definitions pause": Entry(
        "definition say_hello is paused until",
        "say_hello --until yesterday",
        2,
        "--until",
        DEFINITION,
        after=("definitions resume say_hello",),
    ),
    "definitions resume": Entry(
        "definition say_hello is resumed", "nobody", 3, "see headrace definitions list", DEFINITION
    ),
    "workers list": Entry("live", "--state asleep", 2, "--state", WORKER),
    "workers show": Entry("live", "999999", 3, "see headrace workers list", WORKER),
    "workers drain": Entry("drains", "999999", 3, "see headrace workers list", WORKER),
    "queues list": Entry("default", "--nothing", 2, "No such option", QUEUE),
    "queues show": Entry("default", "nobody", 3, "see headrace queues list", QUEUE),
    "queues set": Entry(
        "tenants take turns",
        "default --max-running many",
        2,
        "--max-running is a whole number",
        QUEUE,
        after=("queues set default --first-come --max-running none",),
    ),
    "queues pause": Entry(
        "queue default is paused until",
        "default --until yesterday",
        2,
        "--until",
        QUEUE,
        after=("queues resume default",),
    ),
    "queues resume": Entry("queue default is resumed", "", 2, "QUEUE", QUEUE),
    "logs search": Entry("reminding", "x --since yore", 2, "--since", LINE),
    "logs tail": Entry("reminding", "--for ever", 2, "--for", LINE),
    "stats": Entry("queued", "--window wide", 2, "--window", "window summary total"),
    "top": Entry("queued", "--every 0", 2, "--every", "summary queues workers jobs"),
}
