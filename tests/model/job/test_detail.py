"""The detail of an attempt is small JSON, whatever it is made of."""

from __future__ import annotations

import json

from headrace.model.job.detail import MAX_DETAIL, detail_text


def test_texts_are_cut_as_far_as_it_takes_and_all_else_stays() -> None:
    for text in ("x" * 16_000, '"\\\n' * 5_000, "\x00" * 16_000, "é\ud800" * 8_000):
        written = detail_text({"exit_code": 3, "stdout_tail": text, "stderr_tail": text})
        assert len(written) <= MAX_DETAIL
        found = json.loads(written)
        assert found["exit_code"] == 3
        assert "characters left out" in found["stdout_tail"]
    assert detail_text({"answer": "short", "committed": True}) == '{"answer":"short","committed":true}'


def test_a_detail_that_is_no_json_says_why_it_is_left_out() -> None:
    assert "not JSON serializable" in json.loads(detail_text({"x": {1}}))["left_out"]
    assert "at most 10,240" in json.loads(detail_text({"x": list(range(10_000))}))["left_out"]
