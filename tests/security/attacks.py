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
        "lists of large things",
        "A page ends where it becomes large, so the server's memory is enough",
        (
            "security/test_large_pages.py",
            "logs/test_read.py::test_a_page_of_long_lines_ends_early_and_the_next_goes_on",
        ),
    ),
    Attack(
        "more alerts than a tenant needs",
        "Rules, targets and notices of one tenant have bounds, so others are looked at in time",
        ("security/test_many_alerts.py",),
    ),
    Attack(
        "many bulk operations at once",
        "The operations of one tenant do not use up the turns of others",
        ("api/jobs/test_bulk.py::test_a_tenant_has_a_few_operations_at_a_time_because_all_take_turns",),
    ),
    Attack(
        "definitions of other tenants",
        "A tenant runs only the definitions that it may run, and learns of no others",
        ("api/admin/test_who_may_run.py", "queue/limits/test_tenants.py", "triggers/operations/test_tenants.py"),
    ),
    Attack(
        "commands by way of the database",
        "A worker runs a command only for the tenants in its own file",
        ("worker/run/test_commands.py::test_the_workers_own_file_decides_for_which_tenants_a_command_runs",),
    ),
    Attack(
        "queues of others",
        "A tenant stays in its queues and priorities, the system queue takes no other job, unused queues are forgotten",
        ("api/jobs/test_queues_of_others.py",),
    ),
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
    Attack(
        "names that another user takes",
        "A stranger in the place of a socket's folder keeps no server from starting",
        ("db/embedded/test_places.py::test_who_takes_the_name_of_a_socket_folder_keeps_no_server_from_starting",),
    ),
    Attack(
        "lines that look like progress",
        "What a command prints does not end it",
        ("worker/run/test_commands.py::test_what_only_looks_like_progress_is_a_line",),
    ),
    Attack(
        "all connections of the server",
        "One tenant holds half of the tenants' connections at most, and its statements and counts have an end",
        ("security/test_connections_of_a_tenant.py",),
    ),
    Attack(
        "megabytes of a filter",
        "A filter is small, and so is what the audit says of it; lists of both end where they become large",
        ("security/test_large_filters.py",),
    ),
    Attack(
        "large bodies in a row",
        "Callers take turns at the parser, so a body waits for one body of each other caller",
        ("api/requests/test_bodies.py::test_callers_take_turns_at_the_parser_however_many_bodies_one_of_them_sends",),
    ),
    Attack(
        "late schedules with large payloads",
        "A backfill and what schedules missed are bounded in text, and schedules of others fire in time",
        ("security/test_large_schedules.py",),
    ),
    Attack(
        "many or large triggers",
        "A tenant has a bounded amount of triggers, and a page of events is read and masked within bounds",
        ("security/test_many_triggers.py",),
    ),
    Attack(
        "any number of mistakes in one request",
        "What is wrong is said in a few errors, and not one for each unknown field or item",
        ("security/test_many_errors.py",),
    ),
    Attack(
        "what exists for others, told by filters",
        "A filter by a definition that a tenant may not run is as one by a definition that does not exist",
        (
            "api/admin/test_who_may_run.py::test_a_filter_says_no_more_of_what_a_tenant_may_not_run_than_of_what_does_not_exist",
        ),
    ),
    Attack(
        "streams that come back all at once",
        "Two at a time read what they missed, so connections are left for others",
        ("security/test_stream_resumes.py",),
    ),
    Attack(
        "words of a worker about jobs of others",
        "Payloads of jobs that a worker never held are not read for it, and its words are not stored",
        ("security/test_foreign_secrets.py",),
    ),
    Attack(
        "thousands of long errors",
        "Errors are grouped beside the loop and without a connection",
        ("api/test_failures.py::test_many_errors_are_grouped_beside_the_loop_and_without_a_connection",),
    ),
    Attack(
        "workers of others",
        "A tenant sees workers of its own queues alone, in the overview and by its alert rules",
        (
            "api/test_overview.py::test_a_tenant_learns_of_workers_that_serve_its_queues_and_of_no_others",
            "alerts/test_queue_and_trigger_rules.py::test_a_tenants_rule_says_nothing_of_queues_in_which_its_jobs_cannot_be",
        ),
    ),
)

# One who is taken for another.
BECOMES_ANOTHER: tuple[Attack, ...] = (
    Attack(
        "links that sign in",
        "A link of a stranger replaces no session unasked; an old or used link opens nothing",
        (
            "api/requests/test_sign_in_links.py",
            "web/test_sign_in.py::test_a_link_of_someone_else_asks_before_it_changes_anything",
            "cli/process/test_dev.py::test_the_link_that_dev_prints_opens_one_session_and_no_log_has_the_token",
        ),
    ),
    Attack(
        "cursors of lists",
        "A cursor shows nothing beyond its page, and serves its tenant and its list alone",
        ("api/jobs/test_cursors.py",),
    ),
    Attack(
        "escapes for terminals",
        "Words of strangers reach a terminal as text, and none passes for a line of the log",
        ("cli/output/test_hostile_text.py",),
    ),
    Attack(
        "passwords of the configuration",
        "Other users of the machine see no password: in files, in processes, or on a screen",
        (
            "cli/admin/test_config.py::test_only_the_owner_reads_a_file_that_was_set",
            "cli/admin/test_config.py::test_no_form_of_a_password_is_shown",
            "cli/admin/test_db.py::test_psql_has_the_password_and_shows_it_to_no_other_user",
        ),
    ),
    Attack(
        "plain http",
        "A server that others reach without TLS warns; behind https browsers send cookies by https alone",
        (
            "api/test_serve.py::test_an_address_that_others_reach_without_tls_is_warned_of",
            "api/test_session.py::test_a_server_that_people_reach_by_https_says_so_to_browsers",
        ),
    ),
    Attack(
        "other users of the machine",
        "Only the owner of an embedded server and root log in to it, and no command runs as its user",
        ("db/embedded/test_access.py",),
    ),
    Attack(
        "configuration of another",
        "A headrace.toml that another user could have written counts only when it is named",
        ("security/test_foreign_configuration.py",),
    ),
    Attack(
        "SQL jobs on their own role",
        "A setting or a password that a function gives to its role breaks no other SQL job",
        ("executors/sql/test_role_settings.py",),
    ),
    Attack(
        "odd names of the server",
        "A host that only looks like this server's is not answered",
        ("api/requests/test_host_names.py",),
    ),
    Attack(
        "values as code",
        "No value of a payload is run by a shell or another program, nor names the program",
        ("executors/command/test_code_in_arguments.py",),
    ),
    Attack("locks of Headrace", "A stranger holds no lock that Headrace waits for", ("security/test_locks.py",)),
    Attack(
        "streams of ended credentials",
        "What a credential keeps open ends with it, whichever process ended it",
        ("security/test_ended_credentials.py",),
    ),
    Attack(
        "links and folders of other users",
        "Root follows no link of another user and works in no folder of one",
        ("executors/command/test_links_in_scratch.py", "db/embedded/test_foreign_folders.py"),
    ),
    Attack(
        "downloads of ended credentials",
        "A log that is read slowly breaks off with its credential, and takes a seat",
        (
            "security/test_ended_credentials.py::test_a_download_that_is_read_slowly_breaks_off_when_its_credential_ends",
        ),
    ),
)

# What a member of each database role may do.
WHO_MAY_COME_IN: tuple[Attack, ...] = (
    Attack(
        "logins with one role of the database",
        "A login reads, writes and changes what its process needs, and nothing else",
        (
            "security/roles/test_database_roles.py",
            "security/roles/test_processes_of_roles.py",
            "security/roles/test_rights.py",
            "security/roles/test_search_path.py",
        ),
    ),
    Attack(
        "SQL of an integrator",
        "A login that is bound to a tenant acts for that tenant alone, whatever it sets",
        ("security/roles/test_integrators.py",),
    ),
)

ATTACKS = (*GROUND, *HURTS_OTHERS, *BECOMES_ANOTHER, *WHO_MAY_COME_IN)
