"""Settings: file, then environment, then flags, each problem named with its source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headrace.config import Settings, keys, load_settings, masked, variable
from headrace.errors import ConfigError

# key, default, then a value for the file, the environment and a flag, each with what it becomes.
TABLE: list[tuple[str, Any, tuple[str, Any], tuple[str, Any], tuple[Any, Any]]] = [
    ("app", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("data_dir", Path(".headrace"), ('"f"', Path("f")), ("e", Path("e")), (Path("g"), Path("g"))),
    ("secret_key", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("database.url", None, ('"postgresql://f"', "postgresql://f"), ("postgresql://e", "postgresql://e"), ("g", "g")),
    ("database.pool_size", 10, ("11", 11), ("12", 12), (13, 13)),
    ("database.pooler", "auto", ('"none"', "none"), ("transaction", "transaction"), ("none", "none")),
    ("jobs.enabled", True, ("false", False), ("false", False), (False, False)),
    ("jobs.queues", ("*",), ('["f"]', ("f",)), (" e1, e2 ,", ("e1", "e2")), (["g"], ("g",))),
    ("jobs.worker_concurrency", 4, ("5", 5), ("6", 6), (7, 7)),
    ("jobs.poll_interval_ms", 1000, ("101", 101), ("102", 102), (103, 103)),
    ("jobs.lease_duration_s", 60.0, ("5.5", 5.5), ("6.5", 6.5), (7.5, 7.5)),
    ("jobs.max_retries_default", 3, ("0", 0), ("1", 1), (2, 2)),
    ("jobs.unreadable_after_s", 900.0, ("0", 0.0), ("1", 1.0), (2, 2.0)),
    ("jobs.shutdown_timeout_s", 30.0, ("0", 0.0), ("1", 1.0), (2, 2.0)),
    ("jobs.kill_grace_s", 5.0, ("0", 0.0), ("1", 1.0), (2, 2.0)),
    ("jobs.scheduler_enabled", True, ("false", False), ("false", False), (False, False)),
    ("jobs.scheduler_tick_s", 15.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("logs.max_lines", 10_000, ("10", 10), ("20", 20), (30, 30)),
    ("logs.max_mb", 4.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("logs.format", "auto", ('"json"', "json"), ("text", "text"), ("auto", "auto")),
    ("logs.level", "info", ('"debug"', "debug"), ("warning", "warning"), ("error", "error")),
    (
        "sql.database_url",
        None,
        ('"postgresql://f"', "postgresql://f"),
        ("postgresql://e", "postgresql://e"),
        ("g", "g"),
    ),
    ("sql.allowed_schemas", ("public",), ('["f"]', ("f",)), ("e1,e2", ("e1", "e2")), (["g"], ("g",))),
    ("sql.pool_size", 4, ("5", 5), ("6", 6), (7, 7)),
    ("retention.jobs_days", 30.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.dead_letters_days", 90.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.logs_days", 14.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.fires_days", 30.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.events_days", 7.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.rollups_days", 30.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.tokens_days", 30.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("retention.audit_days", 365.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("builtin.enabled", True, ("false", False), ("false", False), (False, False)),
    ("alerts.allow_private", False, ("true", True), ("true", True), (True, True)),
    ("alerts.allow_hosts", (), ('["f"]', ("f",)), ("e1,e2", ("e1", "e2")), (["g"], ("g",))),
    ("alerts.webhook_timeout_s", 10.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("alerts.tls_ca", None, ('"f"', Path("f")), ("e", Path("e")), (Path("g"), Path("g"))),
    ("smtp.host", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("smtp.port", 587, ("25", 25), ("465", 465), (26, 26)),
    ("smtp.security", "starttls", ('"none"', "none"), ("tls", "tls"), ("none", "none")),
    ("smtp.tls_ca", None, ('"f"', Path("f")), ("e", Path("e")), (Path("g"), Path("g"))),
    ("smtp.user", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("smtp.password", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("smtp.sender", None, ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("smtp.timeout_s", 20.0, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
    ("server.host", "127.0.0.1", ('"f"', "f"), ("e", "e"), ("g", "g")),
    ("server.port", 8720, ("81", 81), ("82", 82), (83, 83)),
    ("server.metrics_public", False, ("true", True), ("true", True), (True, True)),
    ("server.allowed_hosts", (), ('["f"]', ("f",)), ("e1,e2", ("e1", "e2")), (["g"], ("g",))),
    ("server.max_connections", 900, ("81", 81), ("82", 82), (83, 83)),
    ("server.max_body_memory_mb", 128, ("81", 81), ("82", 82), (83, 83)),
    ("server.public_url", None, ('"https://f"', "https://f"), ("https://e", "https://e"), ("g", "g")),
    ("server.tls_certificate", None, ('"f"', Path("f")), ("e", Path("e")), (Path("g"), Path("g"))),
    ("server.tls_key", None, ('"f"', Path("f")), ("e", Path("e")), (Path("g"), Path("g"))),
    ("security.token_max_days", None, ("1", 1.0), ("2.5", 2.5), (3, 3.0)),
]
OUT_OF_RANGE = [
    ("database.pool_size", "0", "1 to 100"),
    ("database.pool_size", "101", "1 to 100"),
    ("jobs.worker_concurrency", "0", "1 to 1024"),
    ("jobs.worker_concurrency", "1025", "1 to 1024"),
    ("jobs.poll_interval_ms", "99", "100 to 60000"),
    ("jobs.poll_interval_ms", "60001", "100 to 60000"),
    ("jobs.lease_duration_s", "4.9", "5 to 3600"),
    ("jobs.lease_duration_s", "3601", "5 to 3600"),
    ("jobs.max_retries_default", "-1", "0 to 100"),
    ("jobs.max_retries_default", "101", "0 to 100"),
    ("jobs.shutdown_timeout_s", "-1", "0 to 3600"),
    ("jobs.shutdown_timeout_s", "3601", "0 to 3600"),
    ("jobs.kill_grace_s", "-1", "0 to 600"),
    ("jobs.kill_grace_s", "601", "0 to 600"),
    ("jobs.scheduler_tick_s", "0.9", "1 to 3600"),
    ("jobs.scheduler_tick_s", "3601", "1 to 3600"),
    ("logs.max_lines", "9", "10 to 10000000"),
    ("logs.max_mb", "0", "0.01 to 10000"),
    ("sql.pool_size", "0", "1 to 100"),
    ("sql.pool_size", "101", "1 to 100"),
    ("retention.jobs_days", "0", "0.01 to 3650"),
    ("retention.dead_letters_days", "3651", "0.01 to 3650"),
    ("retention.tokens_days", "-1", "0 to 3650"),
    ("retention.logs_days", "0", "0.01 to 3650"),
    ("retention.fires_days", "0", "0.01 to 3650"),
    ("retention.fires_days", "3651", "0.01 to 3650"),
    ("retention.events_days", "0", "0.01 to 3650"),
    ("retention.rollups_days", "0", "0.01 to 3650"),
    ("retention.events_days", "3651", "0.01 to 3650"),
    ("alerts.webhook_timeout_s", "0", "1 to 120"),
    ("smtp.port", "0", "1 to 65535"),
    ("smtp.timeout_s", "301", "1 to 300"),
    ("server.port", "0", "1 to 65535"),
    ("server.port", "65536", "1 to 65535"),
    ("server.max_connections", "15", "16 to 1000000"),
    ("server.max_body_memory_mb", "63", "64 to 65536"),
    ("security.token_max_days", "0", "over 0, to 3650"),
    ("security.token_max_days", "3651", "over 0, to 3650"),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "headrace.toml"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))


def write(file: Path, key: str, text: str) -> None:
    table, _, name = key.rpartition(".")
    file.write_text(f"[{table}]\n{name} = {text}\n" if table else f"{name} = {text}\n")


def value_of(settings: Settings, key: str) -> Any:
    found: Any = settings
    for part in key.split("."):
        found = getattr(found, part)
    return found


def problems(**said: Any) -> list[str]:
    with pytest.raises(ConfigError) as refused:
        load_settings(**{"environ": {}} | said)
    return str(refused.value).split("\n")


def test_the_table_has_every_key() -> None:
    assert [".".join(path) for path in keys()] == [row[0] for row in TABLE]


@pytest.mark.parametrize(("key", "default", "in_file", "in_environment", "flag"), TABLE, ids=lambda row: str(row)[:30])
def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(
    file: Path, key: str, default: Any, in_file: Any, in_environment: Any, flag: Any
) -> None:
    name = variable(tuple(key.split(".")))
    assert name == "HEADRACE_" + key.replace(".", "_").upper()
    assert value_of(load_settings(environ={}), key) == default
    write(file, key, in_file[0])
    assert value_of(load_settings(environ={}, file=file), key) == in_file[1]
    environ = {name: in_environment[0]}
    assert value_of(load_settings(environ=environ, file=file), key) == in_environment[1]
    assert value_of(load_settings(environ=environ, file=file, flags={key: flag[0]}), key) == flag[1]
    # A flag that was not given says nothing.
    assert value_of(load_settings(environ=environ, file=file, flags={key: None}), key) == in_environment[1]


@pytest.mark.parametrize(("key", "value", "allowed"), OUT_OF_RANGE)
def test_a_value_out_of_range_is_named_with_key_value_source_and_range(
    file: Path, key: str, value: str, allowed: str
) -> None:
    write(file, key, value)
    name = variable(tuple(key.split(".")))
    for said, source in (
        ({"file": file}, f"{file}:2"),
        ({"environ": {name: value}}, f"environment variable {name}"),
        ({"flags": {key: float(value)}}, "flag"),
    ):
        (problem,) = problems(**said)
        assert problem.startswith(f"{key} = ")
        assert value in problem
        assert f"({source})" in problem
        assert allowed in problem


@pytest.mark.parametrize(
    ("key", "low", "high"), [("server.port", "1", "65535"), ("jobs.lease_duration_s", "5", "3600")]
)
def test_the_ends_of_a_range_are_allowed(key: str, low: str, high: str) -> None:
    name = variable(tuple(key.split(".")))
    for value in (low, high):
        assert value_of(load_settings(environ={name: value}), key) == float(value)


def test_a_value_of_the_wrong_type_is_named() -> None:
    (problem,) = problems(environ={"HEADRACE_SERVER_PORT": "http"})
    assert problem.startswith("server.port = 'http' (environment variable HEADRACE_SERVER_PORT): ")
    assert "(allowed: an integer, 1 to 65535)" in problem


def test_a_value_that_is_none_of_the_allowed_words_is_named(file: Path) -> None:
    write(file, "database.pooler", '"session"')
    (problem,) = problems(file=file)
    assert problem.startswith(f"database.pooler = 'session' ({file}:2): ")
    assert '(allowed: "auto" or "none" or "transaction")' in problem


def test_people_never_see_keys_and_passwords() -> None:
    assert masked(("secret_key",), "s3cret") == "***"
    assert masked(("smtp", "password"), "s3cret") == "***"
    assert masked(("smtp",), {"user": "u", "password": "s3cret"}) == {"user": "u", "password": "***"}
    assert masked(("smtp", "user"), "u") == "u"


def test_secrets_are_not_told_with_a_problem() -> None:
    (problem,) = problems(flags={"secret_key": 5_050})
    assert "5050" not in problem
    (problem,) = problems(flags={"database": "postgresql://me:hunter2@here/jobs"})
    assert "hunter2" not in problem


def test_the_line_of_a_problem_is_found_in_any_file(file: Path) -> None:
    file.write_text(
        'data_dir = "a"  # [jobs]\n\n[jobs] # workers\nqueues = [\n  "a", # ]\n  "]"\n]\n"worker_concurrency" = 0\n'
        'server.x = """\n[logs]\nmax_mb = 3\n"""\n[ commands . "a.b" ]\nargv = ["true"]\n  timeout_seconds = -1\n'
        "env = { A = 1 }\n"
    )
    found = "\n".join(problems(file=file))
    for wanted in (
        f"jobs.worker_concurrency = 0 ({file}:8): ",
        f"jobs.server ({file}:9): unknown key",
        f"commands.a.b.timeout_seconds = -1 ({file}:15): ",
        f"commands.a.b.env.A = '***' ({file}:16): ",
    ):
        assert wanted in found


def test_an_unknown_key_comes_with_a_suggestion(file: Path) -> None:
    write(file, "jobs.worker_concurency", "3")
    assert problems(file=file) == [
        f"jobs.worker_concurency ({file}:2): unknown key; did you mean jobs.worker_concurrency?"
    ]


def test_an_unknown_table_is_refused(file: Path) -> None:
    file.write_text("[zzz]\nqqq = 1\n")
    (problem,) = problems(file=file)
    assert problem.startswith("zzz (")
    assert "unknown key" in problem


def test_an_unknown_variable_comes_with_a_suggestion() -> None:
    assert problems(environ={"HEADRACE_DATABASE_URI": "x"}) == [
        "HEADRACE_DATABASE_URI (environment): unknown variable; did you mean HEADRACE_DATABASE_URL?"
    ]


def test_other_variables_are_none_of_our_business() -> None:
    assert load_settings(environ={"PATH": "/bin", "HEADRACER": "x", "DATABASE_URL": "x"}) == Settings()


def test_all_problems_are_named_at_once(file: Path) -> None:
    file.write_text('color = "red"\n[database]\npool_size = 0\n[server]\nport = 0\n')
    found = problems(
        file=file,
        environ={"HEADRACE_JOBS_QUEUE": "x", "HEADRACE_JOBS_LEASE": "1", "HEADRACE_JOBS_KILL_GRACE_S": "-1"},
        flags={"jobs.worker_concurrency": 0},
    )
    for wanted in (
        "color (",
        "database.pool_size = 0",
        "server.port = 0",
        "HEADRACE_JOBS_QUEUE (environment): unknown variable; did you mean HEADRACE_JOBS_QUEUES?",
        "HEADRACE_JOBS_LEASE (environment): unknown variable",
        "jobs.kill_grace_s = '-1'",
        "jobs.worker_concurrency = 0 (flag)",
    ):
        assert any(problem.startswith(wanted) for problem in found), wanted
    assert len(found) == 7


def test_a_value_where_a_table_belongs_is_named(file: Path) -> None:
    file.write_text('database = "postgresql://here"\n')
    (problem,) = problems(file=file)
    assert problem.startswith("database = 'postgresql://here'")
    (problem,) = problems(file=file, environ={"HEADRACE_DATABASE_URL": "x"}, flags={"database.pool_size": 1})
    assert problem.startswith("database = 'postgresql://here'")


@pytest.mark.parametrize("text", ["[jobs", "port = ", "a = 1\na = 2\n"])
def test_a_file_that_is_not_toml_is_named(file: Path, text: str) -> None:
    file.write_text(text)
    (problem, *_) = problems(file=file)
    assert problem.startswith(f"{file}: not valid TOML: ")


def test_a_file_that_is_not_utf8_is_named(file: Path) -> None:
    file.write_bytes(b'data_dir = "\xff"\n')
    assert problems(file=file)[0].startswith(f"{file}: not valid TOML: ")


def test_a_file_that_was_named_and_is_not_there_is_an_error(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert problems(environ={"HEADRACE_CONFIG": str(missing)}) == [
        f"{missing}: cannot be read: No such file or directory"
    ]


def test_headrace_config_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "headrace.toml", "server.port", "1111")
    write(tmp_path / "other.toml", "server.port", "2222")
    monkeypatch.chdir(tmp_path)
    assert load_settings(environ={}).server.port == 1111
    assert load_settings(environ={"HEADRACE_CONFIG": str(tmp_path / "other.toml")}).server.port == 2222


def test_the_file_is_found_upwards_and_the_nearest_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    write(tmp_path / "headrace.toml", "server.port", "1111")
    assert load_settings(environ={}).server.port == 1111
    write(tmp_path / "a" / "headrace.toml", "server.port", "2222")
    assert load_settings(environ={}).server.port == 2222


def test_the_environment_is_the_processs_own_unless_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_SERVER_PORT", "3333")
    assert load_settings().server.port == 3333


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings(environ={}).server.port = 1
