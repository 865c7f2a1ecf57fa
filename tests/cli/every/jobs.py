"""`headrace jobs`."""

from __future__ import annotations

from tests.cli.every.entry import JOB, NOTHING, Entry

NO_ID = "is neither a job's id"
FILTER = "--status is one of scheduled"

JOBS = {
    "jobs list": Entry("charge_card", "--status purple", 2, FILTER, JOB),
    "jobs show": Entry("say_hello (python)", "zz", 3, NO_ID, f"{JOB} payload result"),
    "jobs enqueue": Entry("enqueued  ", "say_hello --arg nam=x", 2, "did you mean name", f"{JOB} result"),
    "jobs retry": Entry("queued again", "zz", 3, NO_ID, JOB),
    "jobs cancel": Entry("01", "zz", 3, NO_ID, JOB),
    "jobs logs": Entry("reminding", NOTHING, 3, "see headrace jobs list", "run seq level message"),
    "jobs attempts": Entry("succeeded", "zz", 3, NO_ID, "run outcome started_at finished_at error"),
    "jobs wait": Entry("succeeded in ", "zz --timeout soon", 2, "--timeout", f"{JOB} result"),
    "jobs why": Entry("The job has ended: succeeded.", "zz", 3, NO_ID, "reasons"),
    "jobs watch": Entry("", "--for ever", 2, "--for", JOB),
    "jobs bulk cancel": Entry("0 jobs to cancel", "--status purple", 2, FILTER, "matching"),
    "jobs bulk retry": Entry("0 jobs to retry", "--since yore --yes", 2, "--since", "matching"),
    "jobs bulk delete": Entry("0 jobs to delete", "--status purple", 2, FILTER, "matching"),
    "jobs bulk list": Entry(
        "cancel",
        "--limit 0",
        2,
        "--limit",
        "id action",
        before=("jobs enqueue say_hello --arg name=x --delay 1h", "jobs bulk cancel --definition say_hello --yes"),
    ),
}
