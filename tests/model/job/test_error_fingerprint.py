"""What errors have in common."""

from __future__ import annotations

import pytest

from headrace.model.job.error_fingerprint import LONGEST, fingerprint


@pytest.mark.parametrize(
    ("error", "alike"),
    [
        ("ReadTimeout: no answer in 30 s", "ReadTimeout: no answer in ‹n› s"),
        ("Fail: user 40213 has no address", "Fail: user ‹n› has no address"),
        ("KeyError: 'name'", "KeyError: ‹…›"),
        ('Fail: "a" is not "b"', "Fail: ‹…› is not ‹…›"),
        ("Fail: it doesn't and it won't", "Fail: it doesn't and it won't"),
        ("Fail: 01956c1e-7a40-7c52-9b1d-5f20c3a8e41c is gone", "Fail: ‹id› is gone"),
        ("Fail: at 0x7f3a9c and commit 9e1e770ab", "Fail: at ‹id› and commit ‹id›"),
        ("Fail: took 1,234.5 s at 12:30:05", "Fail: took ‹n› s at ‹n›"),
        ("Fail: decade and facade", "Fail: decade and facade"),
        ("Boom: first line\nsecond 2", "Boom: first line"),
        ("", ""),
    ],
)
def test_what_differs_from_job_to_job_is_left_out(error: str, alike: str) -> None:
    assert fingerprint(error) == alike


def test_a_long_text_is_cut_and_takes_no_time() -> None:
    assert len(fingerprint("a1f" * 100_000)) <= 2 * LONGEST
    assert len(fingerprint("'" * 100_000)) <= 2 * LONGEST
