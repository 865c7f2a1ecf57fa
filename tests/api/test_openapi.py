"""The API as its own description says: valid by the tools of others, and good for clients that are made from it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from scripts.api_reference import openapi
from tests.api.conftest import Api
from tests.api.listening import served
from tests.environ import bare_environ
from tests.waiting import PATIENCE

TOOLS = Path(__file__).parents[2] / ".tools" / "openapi" / "node_modules" / ".bin"
MADE_FROM_IT = Path(__file__).parent / "made_from_it"
needs_node = pytest.mark.skipif(not (TOOLS / "redocly").exists(), reason="make openapi-tools has not fetched them")
# `/jobs/triggers/{id}` beside `/jobs/{id}/why`: the more exact path comes first, and ids are never such words.
KNOWN = ("--skip-rule=no-ambiguous-paths", "--skip-rule=operation-4xx-response")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """The document as a file."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(openapi()), "utf-8")
    return file


def test_the_document_is_valid() -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(openapi()).iter_errors()] == []


def test_shapes_have_names_of_their_own_and_errors_are_described_as_they_are_sent() -> None:
    assert [name for name in openapi()["components"]["schemas"] if "__" in name] == []
    others = {
        f"{method} {path} {status}: {media}"
        for path, operations in openapi()["paths"].items()
        for method, operation in operations.items()
        for status, response in operation["responses"].items()
        if status >= "400"
        for media in response["content"]
        if media != "application/problem+json"
    }
    assert others == set()


@needs_node
def test_redocly_finds_nothing_wrong(document: Path) -> None:
    run([str(TOOLS / "redocly"), "lint", *KNOWN, str(document)], document.parent)


async def test_a_client_that_openapi_python_client_makes_can_be_used(api: Api, document: Path) -> None:
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(document), "--meta", "none"]
    folder = document.parent
    said = run([*command, "--output-path", str(folder / "made")], folder)
    assert "Warning" not in said, said
    async with served(api.asgi) as url:
        script = [sys.executable, str(MADE_FROM_IT / "calls.py"), url, await api.token("tenant_admin", "acme")]
        assert "all calls were right" in await asyncio.to_thread(run, script, folder)


@needs_node
async def test_types_that_openapi_typescript_makes_fit_what_is_answered(api: Api, document: Path) -> None:
    folder = document.parent
    run([str(TOOLS / "openapi-typescript"), str(document), "-o", str(folder / "made.ts")], folder)
    (folder / "calls.mts").write_text((MADE_FROM_IT / "calls.mts").read_text("utf-8"), "utf-8")
    options = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom"]
    run([str(TOOLS / "tsc"), *options, "calls.mts"], folder)
    async with served(api.asgi) as url:
        script = ["node", "calls.mjs", url, await api.token("tenant_admin", "acme")]
        assert "all calls were right" in await asyncio.to_thread(run, script, folder)


def run(command: list[str], folder: Path) -> str:
    """What it says, of a program that ends well."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = bare_environ(PATH=path, PYTHONPATH=str(folder), REDOCLY_TELEMETRY="off", CI="true")
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
