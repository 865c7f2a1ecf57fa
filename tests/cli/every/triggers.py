"""`headrace schedules` and `headrace triggers`: the same commands, and two more."""

from __future__ import annotations

from tests.cli.every.entry import TRIGGER, Entry

HOURLY = """triggers create hourly say_hello --every 1h --payload '{"name": "x"}'"""


def shared(group: str) -> dict[str, Entry]:
    """The commands that both have."""
    unknown = f"unknown {group[:-1]} 'nobody': see headrace {group} list"
    return {
        f"{group} list": Entry("nightly_cleanup", "--limit none", 2, "--limit", TRIGGER),
        f"{group} show": Entry("nightly_cleanup", "nobody", 3, unknown, TRIGGER),
        f"{group} create": Entry(
            "nightly  0 2 * * *  on",
            "x say_hello --cron '61 * * * *'",
            2,
            "The minute '61' is not valid",
            TRIGGER,
            after=(f"{group} delete nightly --yes",),
        ),
        f"{group} update": Entry("nightly_cleanup  30 3 * * *", "nightly_cleanup", 2, "nothing to change", TRIGGER),
        f"{group} enable": Entry("nightly_cleanup  on", "nobody", 3, unknown, TRIGGER),
        f"{group} disable": Entry(
            "nightly_cleanup  off", "nobody", 3, unknown, TRIGGER, after=(f"{group} enable nightly_cleanup",)
        ),
        f"{group} delete": Entry(
            "hourly  deleted",
            "nightly_cleanup",
            2,
            "There is no terminal to answer: add --yes",
            TRIGGER,
            before=(HOURLY,),
        ),
        f"{group} reset": Entry("nightly_cleanup  0 3 * * *", "nobody", 3, unknown, TRIGGER),
        f"{group} fire": Entry("nightly_cleanup  fired", "nobody", 3, unknown, "fired job_id reason"),
        f"{group} skip": Entry("nightly_cleanup  skips", "nobody", 3, unknown, "skipped"),
        f"{group} preview": Entry("At 02:00", "--cron 'x'", 2, "cron", "words times"),
        f"{group} backfill": Entry(
            "nightly_cleanup  3 jobs", "nightly_cleanup --from tomorrow", 2, "--from", "occasion job_ids skipped"
        ),
        f"{group} fires": Entry(
            "fired",
            "nobody",
            3,
            unknown,
            "due_at outcome job_id triggered_by",
            before=(f"{group} fire nightly_cleanup",),
        ),
    }


TRIGGERS = {
    **shared("schedules"),
    **shared("triggers"),
    "triggers deliveries": Entry("no deliveries yet", "nobody", 3, "unknown trigger 'nobody'", "event_id"),
    "triggers test-render": Entry('"name": "Ada"', "--payload '{no'", 2, "--payload is not JSON", "payload error"),
}
