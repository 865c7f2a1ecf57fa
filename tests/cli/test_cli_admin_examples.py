"""The examples in the help of what operators use work as they stand."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from scripts.cli_reference import commands, example_of
from tests.cli.touring import Cli

NAMES = ("tenants", "tokens", "audit", "workers", "queues", "stats", "top", "config", "doctor")


async def test_the_examples_work(served: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (worker,) = await served.json("workers", "list")
    for words, command in commands():
        if words.split()[0] not in NAMES:
            continue
        if words == "config init":
            (tmp_path / "headrace.toml").unlink()  # that of the example before
        example = shlex.split(example_of(command) or "")[1:]
        if words.startswith("workers"):
            example = [str(worker["id"]) if word == "1" else word for word in example]
        said = await served(*example)
        assert said.code == 0, (example, said)
