"""How a command's argv is written, checked and filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headrace.errors import BadRequest, ValidationError
from headrace.executors.command.argv import MOST_BYTES, ArgumentRefused, ArgvInvalid, build_argv, parse_argv
from headrace.executors.command.check_argv import check_argv, fill_defaults
from headrace.model.secret.fields import is_secret
from headrace.model.secret.schema import SecretSchema

BUILTINS = {"tenant": "acme", "job_id": "j-1", "run": 7, "scheduled_for": None}


def build(argv: Sequence[object], **payload: Any) -> list[bytes]:
    return build_argv(parse_argv(argv), payload, BUILTINS)


def check(argv: list[object], **schema: Any) -> None:
    check_argv(parse_argv(argv), schema, lambda name: is_secret(name, SecretSchema(schema)))


def test_literals_placeholders_and_prefixes_become_one_argument_each() -> None:
    argv = ["/bin/sync", "--tenant", "{tenant}", "{path}", "--path={path}", "{{path}}", "a}}b", "--run={run}"]
    assert build(argv, path="a b $(c)") == [
        *(b"/bin/sync", b"--tenant", b"acme", b"a b $(c)", b"--path=a b $(c)", b"{path}", b"a}b", b"--run=7")
    ]


def test_an_empty_text_is_still_an_argument() -> None:
    assert build(["x", "{a}", "--a={a}"], a="") == [b"x", b"", b"--a="]


@pytest.mark.parametrize(
    ("value", "printed"),
    [(1, b"1"), (1.5, b"1.5"), (True, b"true"), (False, b"false"), (10**21, b"1" + b"0" * 21), ("ż", "ż".encode())],
)
def test_numbers_and_booleans_print_as_json(value: object, printed: bytes) -> None:
    assert build(["x", "{a}"], a=value) == [b"x", printed]


@pytest.mark.parametrize("value", ["-rf", "-", "--", "@/etc/passwd", -1, -0.5])
def test_a_value_that_looks_like_an_option_or_a_file_needs_permission(value: object) -> None:
    with pytest.raises(ArgumentRefused, match=r"^a: may not start with [-@], .* \(argv\[1\]\)$"):
        build(["x", "{a}"], a=value)
    text = str(value).encode()
    assert build(["x", {"arg": "a", "allow_dash": True}, "--a={a}"], a=value) == [b"x", text, b"--a=" + text]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "has no value"),
        ({}, "must be a text, a number or a boolean"),
        (["a"], "must be a text, a number or a boolean"),
        ("a\0b", "contains a NUL character"),
        ("a\ud800", "contains a lone surrogate"),
        ("ż" * 65_536, r"has 131,072 bytes \(at most 131,071\)"),
        (float("inf"), "is a number that JSON cannot write"),
        pytest.param(10**5000, "is a number that JSON cannot write", id="5,000 digits"),
    ],
)
def test_what_no_argument_can_be_is_refused(value: object, problem: str) -> None:
    with pytest.raises(ValidationError, match=f"^a: {problem}"):
        build(["x", "{a}"], a=value)


def test_a_missing_value_and_a_job_without_a_planned_time_are_refused() -> None:
    with pytest.raises(ArgumentRefused, match=r"^b: has no value \(argv\[1\]\)$"):
        build(["x", "{b}"], a=1)
    with pytest.raises(ArgumentRefused, match=r"^scheduled_for: has no value"):
        build(["x", "--at={scheduled_for}"])


def test_the_prefix_counts_for_the_length() -> None:
    assert len(build(["x", "{a}"], a="a" * MOST_BYTES)[1]) == MOST_BYTES
    with pytest.raises(ArgumentRefused, match=r"131,075 bytes"):
        build(["x", "--a={a}"], a="a" * MOST_BYTES)


def test_what_the_job_is_comes_from_the_job_alone() -> None:
    assert build(["x", "{tenant}", "{job_id}"], tenant="other", job_id="j-2") == [b"x", b"acme", b"j-1"]


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        ([], "argv must be a list whose first element is the program"),
        ("ls", "argv must be a list"),
        (["{a}"], "must be the program itself"),
        ([""], "must be the program itself"),
        (["x", "a{b}"], r"^argv\[1\]: a placeholder is the whole argument, or follows a text that ends in ="),
        (["x", "{a}{b}"], r"^argv\[1\]: nothing may follow the placeholder {a}"),
        (["x", "{a}c"], r"^argv\[1\]: nothing may follow"),
        (["x", "{"], r"^argv\[1\]: a lone { is neither"),
        (["x", "{a b}"], r"^argv\[1\]: {a b} does not name a field"),
        (["x", "{}"], r"^argv\[1\]: {} does not name a field"),
        (["x", 5], r"^argv\[1\] must be a text or a table"),
        (["x", {"arg": "a", "allow": True}], r"^argv\[1\] must be a text or a table"),
        (["x", {"arg": "a", "allow_dash": "yes"}], r"^argv\[1\]: allow_dash must be true or false"),
        (["x", "a\0"], r"^argv\[1\] contains a NUL"),
    ],
)
def test_an_argv_that_means_nothing_is_refused_at_load(argv: Any, problem: str) -> None:
    with pytest.raises(ArgvInvalid, match=problem) as raised:
        parse_argv(argv)
    assert isinstance(raised.value, BadRequest)


def test_an_argv_that_every_payload_can_fill_is_accepted() -> None:
    properties = {
        "path": {"type": "string"},
        "depth": {"type": "integer", "default": 1},
        "kind": {"enum": ["a", "b"]},
        "size": {"type": ["integer", "number"]},
        "note": {"type": "object"},
    }
    argv: list[object] = ["x", "{tenant}", "--path={path}", "{depth}", "{kind}", "{size}"]
    check(argv, properties=properties, required=["path", "kind", "size"])


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        ({}, r"argv\[2\]: a must be declared as a string, integer, number or boolean"),
        (True, r"argv\[2\]: a must be declared"),
        ({"type": "object"}, r"argv\[2\]: a must be declared"),
        ({"type": ["string", "null"]}, r"argv\[2\]: a must be declared"),
        ({"enum": ["x", None]}, r"argv\[2\]: a must be declared"),
        ({"type": "string"}, r"argv\[2\]: a is optional: make it required, or give it a default"),
        ({"type": "string", "default": None}, r"argv\[2\]: a has a default that is neither"),
        ({"type": "string", "writeOnly": True}, r"argv\[2\]: a is secret"),
    ],
)
def test_a_field_that_some_payload_lacks_or_nobody_may_see_is_refused_at_load(rules: object, problem: str) -> None:
    with pytest.raises(ArgvInvalid, match=problem):
        check(["x", "--", "{a}"], properties={"a": rules})


@pytest.mark.parametrize(
    "argv",
    [
        ["/bin/sh", "-c", "{a}"],
        ["bash", "-ec", "{a}", "x"],
        ["bash", "-ce", {"arg": "a", "allow_dash": True}],
        ["/usr/bin/bash", "-euo", "pipefail", "-c", "{a}"],
        ["bash", "--rcfile", "x", "-c", "--", "a={a}"],
        ["/usr/bin/env", "X=1", "zsh", "-c", "{job_id}"],
        ["dash", "-c", "-e", "{a}"],
        ["ksh", "+x", "-c", "{a}"],
        ["busybox", "ash", "-c", "{a}"],
    ],
)
def test_a_value_that_would_become_shell_code_is_refused_at_load(argv: list[object]) -> None:
    with pytest.raises(ArgvInvalid) as raised:
        check(argv, properties={"a": {"type": "string"}}, required=["a"])
    place = next(n for n, slot in enumerate(argv) if isinstance(slot, dict) or "{" in str(slot))
    assert str(raised.value) == (
        f"argv[{place}]: values of the payload would become shell code; "
        "pass them as arguments after the script or via stdin"
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["/bin/sh", "-c", 'cp -- "$1" /backup', "sh", "{a}"],
        ["bash", "-euo", "pipefail", "-c", 'echo "$1"', "bash", "{a}"],
        ["bash", "script.sh", "-c", "{a}"],
        ["sh", "-e", "script.sh", "{a}"],
        ["bash", "--norc", "script.sh", "{a}"],
    ],
)
def test_a_value_that_a_shell_gets_as_an_argument_is_accepted(argv: list[object]) -> None:
    check(argv, properties={"a": {"type": "string"}}, required=["a"])


def test_all_problems_are_told_at_once() -> None:
    properties = {"run": {"type": "integer"}, "token": {"type": "string"}}
    with pytest.raises(ArgvInvalid) as raised:
        check(["x", "{b}", "{run}", "{token}"], properties=properties)
    assert str(raised.value) == (
        "args: a payload may not have the property run, which always comes from the job (used in argv[2]); "
        "argv[1]: b is not a property of args; "
        'argv[3]: token is secret, and arguments can be seen by every process: use stdin = "payload" or pass_env'
    )


def test_defaults_fill_what_a_payload_leaves_out() -> None:
    schema = {"properties": {"a": {"default": 1}, "b": {"default": 2}, "c": {}, "d": True}}
    assert fill_defaults({"a": 5}, schema) == {"a": 5, "b": 2}
