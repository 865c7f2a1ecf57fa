"""What the red team tries: each attack, what must hold against it, and the tests that carry it out.

`make redteam` runs all of them and prints how many cases there were and how many held. A test is one case, or as many
as it records with `record_property("cases", 260)`. A new attack is a line here and a test, in this folder or beside
the room that it attacks.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """One kind of attack. `tests` are files of `tests/`, or tests in them."""

    name: str
    holds: str
    tests: tuple[str, ...]


# The walls that stood before the red team came.
GROUND = (
    Attack(
        "every route by every role",
        "A principal uses only the routes of its role",
        (
            "api/test_access.py::test_each_role_may_read_what_the_table_says",
            "api/test_access.py::test_each_role_may_change_what_the_table_says",
        ),
    ),
    Attack(
        "ids of other tenants",
        "What belongs to another tenant does not exist",
        ("api/test_access.py::test_what_is_anothers_is_not_there",),
    ),
    Attack(
        "row-level security",
        "The database shows a tenant its own rows, even if the service forgets to",
        (
            "api/test_access.py::test_without_the_services_own_filter_nothing_leaks",
            "service/test_row_level_security.py",
            "service/test_second_wall.py",
        ),
    ),
    Attack("generated requests", "No request ends in an error of the server", ("api/test_schemathesis.py",)),
    Attack("hostile requests", "Odd bytes, methods and sizes are refused", ("api/requests/test_hostile.py",)),
    Attack("arguments of commands", "An argument stays one argument", ("executors/command/test_hostile_arguments.py",)),
    Attack("scripts in what is stored", "What is stored stays text on every screen", ("web/test_hostile.py",)),
    Attack("addresses of webhooks", "A webhook reaches public addresses only", ("model/alert/test_web_address.py",)),
    Attack("secrets", "Secrets are masked wherever they are stored or shown", ("api/test_secrets.py",)),
)

# A tenant that slows the others, or takes what is theirs.
HURTS_OTHERS: tuple[Attack, ...] = (
    Attack(
        "followers of logs",
        "Many followers of a log cost what one costs, and have a limit",
        ("api/jobs/test_log_followers.py",),
    ),
    Attack(
        "payloads full of secrets",
        "To mask any number of secrets holds no loop and lets none of them through",
        ("worker/run/test_many_secrets.py",),
    ),
    Attack(
        "megabytes of details",
        "What is stored of a run has bounds, and a failure is recorded all the same",
        ("api/worker/test_bounds.py",),
    ),
    Attack(
        "sign-ins and wrong tokens without end",
        "Both have limits, and neither keeps a good token out",
        ("security/test_sign_in_flood.py",),
    ),
)

# One who is taken for another.
BECOMES_ANOTHER: tuple[Attack, ...] = (
    Attack(
        "streams of ended credentials",
        "What a credential keeps open ends with it, whichever process ended it",
        ("security/test_ended_credentials.py",),
    ),
)

# What a member of each database role may do.
WHO_MAY_COME_IN: tuple[Attack, ...] = ()

ATTACKS = (*GROUND, *HURTS_OTHERS, *BECOMES_ANOTHER, *WHO_MAY_COME_IN)
