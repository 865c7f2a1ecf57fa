"""From bytes to lines: masked, then framed, then cut, then decoded, however the bytes come."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headrace.model.log.output_lines import OutputLines
from headrace.model.secret.masking import Masker

SECRET = "correct-horse-battery"


def lines_of(data: bytes, cuts: list[int], longest: int = 16_384) -> list[str]:
    """The lines when the bytes are read in pieces that end at those places."""
    output = OutputLines(Masker([SECRET]), longest=longest)
    places = [0, *sorted({cut for cut in cuts if cut < len(data)}), len(data)]
    found = [line for a, b in pairwise(places) for line in output.feed(data[a:b])]
    return [*found, *output.end()]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=8), st.integers(1, 50))
def test_where_reads_end_changes_nothing(data: bytes, cuts: list[int], longest: int) -> None:
    assert lines_of(data, cuts, longest) == lines_of(data, [], longest)


@given(st.binary(max_size=60), st.binary(max_size=60), st.lists(st.integers(0, 150), max_size=8))
def test_a_secret_is_masked_wherever_reads_end(before: bytes, after: bytes, cuts: list[int]) -> None:
    said = "\n".join(lines_of(before + SECRET.encode() + after, cuts))
    assert SECRET not in said
    assert "***" in said


@given(st.integers(1, 40), st.lists(st.integers(0, 100), max_size=4))
def test_a_secret_at_the_cut_leaves_none_of_its_bytes(longest: int, cuts: list[int]) -> None:
    (line,) = lines_of(b"." * 20 + SECRET.encode() + b"." * 20, cuts, longest)
    kept = line.partition(" … ")[0]
    assert set(kept) <= {".", "*"}


def test_each_line_stands_alone_and_the_last_needs_no_newline() -> None:
    assert lines_of(b"a\n\nb\r\nc", []) == ["a", "", "b", "c"]
    assert lines_of(b"a\n", []) == ["a"]
    assert lines_of(b"", []) == []


def test_any_bytes_are_text() -> None:
    assert lines_of(b"a\0b\n\xff\xfe\n\xe2\x82\n\xe2\x82\xac\n\x1b[31mred", [10, 11]) == [
        *("a\\x00b", "\\xff\\xfe", "\\xe2\\x82", "€", "\x1b[31mred")
    ]


def test_a_line_without_end_takes_no_more_memory_than_a_short_one() -> None:
    output, piece = OutputLines(Masker([SECRET])), b"x" * 65_536
    tracemalloc.start()
    for _ in range(1600):
        assert list(output.feed(piece)) == []
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (line,) = output.end()
    assert line == "x" * 16_384 + f" … {1600 * 65_536 - 16_384:,} bytes left out"
    assert peak < 1_000_000
