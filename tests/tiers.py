"""Which tests `make test` leaves to `make test-all`, and which run more than once.

`make test` is for everybody, many times a day: each rule once, on the embedded PostgreSQL, in under five minutes.
`make test-all` is what CI runs: it adds what takes long or repeats a rule elsewhere, in under twelve.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.servers import versions

FOLDER = Path(__file__).parent

# Tests that are about what differs between PostgreSQL's versions: constraints, plans, partitions, prepared statements,
# locks, timeouts. They run on Debian's 15 too; a rule that is plain SQL is proven once, on 18.
ON_EVERY_VERSION = (
    "alerts/test_plans.py",
    "db/",
    "executors/sql/test_contract.py",
    "executors/sql/test_death.py",
    "executors/sql/test_role.py",
    "executors/sql/test_role_settings.py",
    "executors/sql/test_stop.py",
    "logs/test_partitions.py",
    "logs/test_plans.py",
    "logs/test_search.py",
    "queue/limits/test_alone.py",
    "queue/test_claim.py",
    "queue/test_dedupe.py",
    "queue/test_enqueue.py",
    "queue/test_exactly_once.py",
    "queue/test_finish.py",
    "queue/test_idempotency.py",
    "queue/limits/test_limits.py",
    "queue/test_rescue.py",
    "retention/test_rows.py",
    "rollups/test_fold.py",
    "security/roles/test_database_roles.py",
    "security/roles/test_integrators.py",
    "security/roles/test_processes_of_roles.py",
    "triggers/cron/test_cron_in_sql.py",
    "triggers/test_fire.py",
    "triggers/test_row_trigger.py",
    "upgrade/",
)

# What a worker promises whatever its transport: these run over PostgreSQL and over HTTP.
OVER_EVERY_TRANSPORT = (
    "worker/transport/test_broken_server.py",
    "worker/run/test_cancel.py",
    "worker/claim/test_claiming.py",
    "worker/run/test_hostile_handlers.py",
    "worker/run/test_log_writing.py",
    "worker/transport/test_lost.py",
    "worker/run/test_masking.py",
    "worker/run/test_outcomes.py",
    "worker/run/test_secret_fields.py",
    "worker/process/test_shutdown.py",
    "worker/run/test_unstorable.py",
)

# What runs again, on every version, with a login that holds one role and does not own the schema.
UNDER_ROLES = {
    "app/test_connections.py": "headrace_app",
    "contract/test_contract.py": "headrace_worker",
    "worker/claim/test_claiming.py": "headrace_worker",
    "worker/process/test_shutdown.py": "headrace_worker",
    "worker/run/test_cancel.py": "headrace_worker",
    "worker/run/test_log_writing.py": "headrace_worker",
    "worker/run/test_outcomes.py": "headrace_worker",
    "worker/transport/test_lost.py": "headrace_worker",
    "api/admin/": "headrace_server",
    "api/jobs/": "headrace_server",
    "api/test_alerts.py": "headrace_server",
    "api/test_events.py": "headrace_server",
    "api/test_metrics.py": "headrace_server",
    "api/test_session.py": "headrace_server",
    "api/triggers/": "headrace_server",
    "api/worker/": "headrace_server",
}

# Left to `make test-all`, beside other versions and transports: long runs, deaths, and details of screens.
THOROUGH = (
    "alerts/test_end_to_end.py",
    "alerts/test_plans.py",
    "api/requests/test_database_trouble.py",
    "api/test_openapi.py::test_a_client",
    "api/test_openapi.py::test_redocly",
    "api/test_openapi.py::test_types",
    "api/requests/test_hostile.py",
    "api/test_schemathesis.py",
    "app/test_forks.py",
    "builtin/test_system_jobs.py",
    "chaos/",
    "cli/jobs/test_follow.py",
    "cli/output/test_terminal.py",
    "cli/process/test_dev.py",
    "cli/process/test_dev_deaths.py",
    "cli/test_every_command.py::test_a_mistake_is_one_line_and_a_code[database",
    "cli/test_every_command.py::test_the_examples_work_for_people_and_for_programs[database",
    "cli/test_every_command.py::test_the_program_itself",
    "cli/test_every_process.py",
    "cli/process/test_process_logs.py",
    "cli/process/test_services.py",
    "cli/process/test_versions.py",
    "db/embedded/",
    "db/test_backup.py",
    "db/test_migrate.py::test_each_step_down",
    "db/test_plans.py",
    "contract/test_left_behind.py::test_what_a_process_left_behind_prints",
    "contract/test_waiting_lines.py::test_a_worker_stops_though_lines_wait",
    "examples/",
    "executors/command/test_tree.py::test_a_process_that_cannot_be_killed",
    "logs/test_search_hostile.py::test_thousands_of_random_queries",
    "logs/test_search_model.py",
    "retention/test_beside_others.py",
    "retention/test_what_stays.py",
    "triggers/cron/test_cron_in_sql.py::test_both_say_the_same_of_any_rule",
    "upgrade/test_upgrade.py::test_workers_go_on",
    "web/",
    "worker/transport/test_broken_database.py",
    "worker/transport/test_broken_server.py",
    "worker/claim/test_claiming.py::test_an_idle_worker",
    "worker/run/test_commands.py::test_what_a_command_started_and_stands_still",
    "worker/process/test_half_open.py",
    "worker/run/test_log_writing.py::test_nothing_is_lost_while",
)

# Of these, one pass over the screens and a smoke of deaths stay in `make test`.
QUICK = (
    "chaos/test_killed_workers.py::test_killed_during_the_handler",
    "chaos/test_fires.py",
    "chaos/test_limits.py::test_the_checker",
    "chaos/test_storm_check.py",
    "db/embedded/test_access.py",
    "db/embedded/test_account.py",
    "web/test_props.py",
    "web/test_screens.py",
    "web/test_site.py",
)


def is_among(node: pytest.Item | Path, names: tuple[str, ...]) -> bool:
    """Whether a test, or a file of tests, is one of these."""
    path = node if isinstance(node, Path) else node.path
    name = path.relative_to(FOLDER).as_posix() if path.is_relative_to(FOLDER) else path.name
    if isinstance(node, pytest.Item):
        name = f"{name}::{node.name}"
    return name.startswith(names)


def is_thorough(item: pytest.Item) -> bool:
    """Whether `make test` leaves it out."""
    if (_parameter(item, "every_server") or "18") != "18" or _parameter(item, "transport") == "http":
        return True
    if _parameter(item, "login"):
        return True
    return is_among(item, THOROUGH) and not is_among(item, QUICK)


def _parameter(item: pytest.Item, name: str) -> Any:
    if isinstance(item, pytest.Function) and hasattr(item, "callspec"):
        return item.callspec.params.get(name)
    return None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test runs on the embedded PostgreSQL, straight to it and as the owner, unless it is listed above or chooses."""
    path = Path(str(metafunc.module.__file__))
    chosen = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "every_server" in metafunc.fixturenames:
        majors = versions() if is_among(path, ON_EVERY_VERSION) else ["18"]
        metafunc.parametrize("every_server", majors, indirect=True, scope="session")
    role = next((role for name, role in UNDER_ROLES.items() if is_among(path, (name,))), None)
    if role and {"database_url", "shared_url"} & set(metafunc.fixturenames):
        logins = [None, *((role, major) for major in versions())]
        names = [f"{login[0]}-{login[1]}" if login else "owner" for login in logins]
        metafunc.parametrize("login", logins, ids=names, indirect=True, scope="session")
    if "transport" in metafunc.fixturenames and "transport" not in chosen:
        transports = ["postgres", "http"] if is_among(path, OVER_EVERY_TRANSPORT) else ["postgres"]
        metafunc.parametrize("transport", transports, indirect=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make test` leaves out. A worker over HTTP has no login: it runs once, beside the server's."""
    items[:] = [item for item in items if not (_parameter(item, "login") and _parameter(item, "transport") == "http")]
    for item in items:
        if is_thorough(item):
            item.add_marker(pytest.mark.thorough)
