"""What is kept for how long, and who is told when something is wrong."""

from __future__ import annotations

from tests.cli.every.entry import NOTHING, Entry

ALERT = "id rule what since count"
RULE = "id name kind parameters targets enabled"
TARGET = "id name kind address"
NO_RULE = "unknown alert rule 'nobody'"
NO_TARGET = "unknown alert target 'nobody'"
MADE_TARGET = "alerts targets create people email ann@example.com"
MADE = (MADE_TARGET, "alerts rules create died job_died --target people")
GONE_TARGET = "alerts targets delete people --yes"
GONE = ("alerts rules delete died --yes", GONE_TARGET)

OPERATING = {
    "retention show": Entry("jobs", "--nothing", 2, "No such option", "settings weeks"),
    "retention run": Entry("nothing", "--nothing", 2, "No such option", "jobs"),
    "alerts list": Entry("no alerts", "--state odd", 2, "--state", ALERT),
    "alerts show": Entry("flaky", NOTHING, 3, "unknown alert", ALERT, before=MADE, after=GONE),
    "alerts ack": Entry("acknowledged: ", NOTHING, 3, "unknown alert", ALERT, before=MADE, after=GONE),
    "alerts close": Entry("closed: ", NOTHING, 3, "unknown alert", ALERT, before=MADE, after=GONE),
    "alerts deliveries": Entry("nothing was sent yet", "--limit 0", 2, "--limit", "target at"),
    "alerts test": Entry(
        "a test notice to people was enqueued",
        "nobody",
        3,
        NO_TARGET,
        "notice_id",
        before=(MADE_TARGET,),
        after=(GONE_TARGET,),
    ),
    "alerts rules list": Entry("died", "--limit 0", 2, "--limit", RULE, before=MADE, after=GONE),
    "alerts rules show": Entry("job_died", "nobody", 3, NO_RULE, RULE, before=MADE, after=GONE),
    "alerts rules create": Entry("created rule died", "x fire", 2, "job_died", RULE, before=(MADE_TARGET,), after=GONE),
    "alerts rules update": Entry("changed rule died", "nobody --repeat 1h", 3, NO_RULE, RULE, before=MADE, after=GONE),
    "alerts rules enable": Entry("rule died is on", "nobody", 3, NO_RULE, RULE, before=MADE, after=GONE),
    "alerts rules disable": Entry("rule died is off", "nobody", 3, NO_RULE, RULE, before=MADE, after=GONE),
    "alerts rules delete": Entry(
        "deleted rule died", "nobody --yes", 3, NO_RULE, RULE, before=MADE, after=(GONE_TARGET,)
    ),
    "alerts targets list": Entry(
        "people", "--limit 0", 2, "--limit", TARGET, before=(MADE_TARGET,), after=(GONE_TARGET,)
    ),
    "alerts targets show": Entry("people", "nobody", 3, NO_TARGET, TARGET, before=(MADE_TARGET,), after=(GONE_TARGET,)),
    "alerts targets create": Entry(
        "created target people", "x pigeon nowhere", 2, "pigeon", TARGET, after=(GONE_TARGET,)
    ),
    "alerts targets update": Entry(
        "changed target people",
        "nobody --address ann@example.com",
        3,
        NO_TARGET,
        TARGET,
        before=(MADE_TARGET,),
        after=(GONE_TARGET,),
    ),
    "alerts targets delete": Entry(
        "deleted target people", "nobody --yes", 3, NO_TARGET, TARGET, before=(MADE_TARGET,)
    ),
}
