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
HURTS_OTHERS: tuple[Attack, ...] = ()

# One who is taken for another.
BECOMES_ANOTHER: tuple[Attack, ...] = ()

# What a member of each database role may do.
WHO_MAY_COME_IN: tuple[Attack, ...] = (
    Attack(
        "logins with one role of the database",
        "A login reads, writes and changes what its process needs, and nothing else",
        ("security/test_database_roles.py", "security/test_processes_of_roles.py", "security/test_rights.py"),
    ),
    Attack(
        "SQL of an integrator",
        "A login that is bound to a tenant acts for that tenant alone, whatever it sets",
        ("security/test_integrators.py",),
    ),
)

ATTACKS = (*GROUND, *HURTS_OTHERS, *BECOMES_ANOTHER, *WHO_MAY_COME_IN)
