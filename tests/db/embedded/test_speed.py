"""How long a start takes; printed and not judged, since machines differ."""

import time
from pathlib import Path

import pytest

from headrace.db.embedded import EmbeddedServer


def test_the_first_and_a_later_start_are_measured(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = []
    for _ in range(2):
        begun = time.perf_counter()
        with EmbeddedServer.start(data_dir):
            seconds.append(time.perf_counter() - begun)
    with capsys.disabled():
        print(f"\nembedded server: first start {seconds[0]:.2f} s, later start {seconds[1]:.2f} s")
