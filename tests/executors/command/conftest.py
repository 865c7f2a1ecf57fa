"""An executor for each test, closed after it, which must leave nothing behind."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from tests.executors.command.running import children

from headrace.executors.command.executor import CommandExecutor


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Where scratch directories are made; every user can go through, and it is empty again after the test."""
    folder = Path(tempfile.mkdtemp(prefix="headrace-test-"))
    folder.chmod(0o711)
    yield folder
    left = sorted(path.name for path in folder.iterdir())
    shutil.rmtree(folder)
    assert left == []


@pytest.fixture
async def commands(scratch: Path) -> AsyncIterator[CommandExecutor]:
    """With a lease longer than any test."""
    before = children(os.getpid())
    executor = CommandExecutor(lease=3600, scratch=scratch)
    yield executor
    await executor.close()
    assert children(os.getpid()) <= before
