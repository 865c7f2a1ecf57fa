"""Queries by people who mean no good: a clear refusal or no hits, never an error of the database's own."""

from __future__ import annotations

import random
import string

import pytest
from tests.engine import Engine
from tests.logs.printing import find, search_all
from tests.logs.test_search import TEXTS, put_texts

from headrace.errors import BadRequest
from headrace.logs.search import Cursor, search

NO_WORDS = ["'", "''", '"', '""', "\\", "!", "&", "|", "(", ")", "<->", ":*", "*", "-", "--", "...", "!!!", "- -", "%"]
ODD = [
    "' or 1=1 --",
    "'; drop table headrace.log; --",
    "$1 $6 %s %1$s %I {x}",
    "a:b & !c | (d <-> e)",
    "\\'x\\'",
    "x:*ABCD",
    "nowhere'",
    '"nowhere" and',
    "-----nowhere nowhere",
    "nowhere\n\t\r\u2028nowhere",
    "nowhere" + "\u0301" * 50,
    "~' or true --",
    "~%_\\",
    "~$1",
    "x" * 1000,
    "nowhere " * 120,
    '"' + "nowhere " * 120 + '"',
    "-a " * 300,
    "İ" * 499,
]


@pytest.mark.parametrize("query", NO_WORDS)
async def test_a_query_without_a_word_is_refused_with_a_sentence(engine: Engine, query: str) -> None:
    with pytest.raises(BadRequest, match=r"has no word.*tilde"):
        await search(engine.db, query)


async def test_odd_queries_find_nothing(engine: Engine) -> None:
    await put_texts(engine.db)
    for query in ODD:
        if not query.startswith("-a"):
            assert await find(engine.db, query) == [], query
    assert len(await find(engine.db, "-a " * 300)) == len(TEXTS) - 1


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("x" * 10_240, "too long"),
        ("日" * 334, "too long"),
        ("~" + "x" * 10_240, "too long"),
        ("a\x00b", "."),
        ("~a\x00b", "."),
        ("a\ud800b", "not valid Unicode"),
        ("~", "no text after the tilde"),
        ("a*", "too short"),
        ("foo.b*", "too short"),
    ],
)
async def test_what_cannot_be_searched_for_is_refused(engine: Engine, query: str, sentence: str) -> None:
    with pytest.raises(BadRequest, match=sentence):
        await search(engine.db, query)


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_pages_have_a_reasonable_size(engine: Engine, limit: int) -> None:
    with pytest.raises(BadRequest, match="1 to 1000 lines"):
        await search(engine.db, "x", limit=limit)


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "////", "2026-01-01T00:00:00+00:00/x/1/1", "2026-01-01T00:00:00/00000000-0000-0000-0000-000000000000/1/1",
     "2026-01-01T00:00:00+00:00/00000000-0000-0000-0000-000000000000/1/-1",
     "2026-01-01T00:00:00+00:00/00000000-0000-0000-0000-000000000000/99999999999/1",
     "' or 1=1"],
)  # fmt: skip
async def test_a_cursor_that_no_search_has_given_is_refused(engine: Engine, cursor: str) -> None:
    with pytest.raises(BadRequest, match="cursor"):
        await search(engine.db, "x", cursor=cursor)


async def test_a_cursor_reads_back_as_it_was_written(engine: Engine) -> None:
    await put_texts(engine.db)
    page = await search(engine.db, "", limit=1)
    assert page.cursor is not None
    assert str(Cursor.parse(page.cursor)) == page.cursor


async def test_thousands_of_random_queries_are_answered_or_refused(engine: Engine) -> None:
    await put_texts(engine.db)
    chance = random.Random(11)  # noqa: S311
    pieces = [
        *string.punctuation,
        *"ab '\"\\-*~:&|!()<>\t\n",
        "sync",
        "read*",
        "-out",
        '"timed out"',
        "c.py",
        "日",
        "\x7f",
    ]
    refused = 0
    for _ in range(1500):
        query = "".join(chance.choices(pieces, k=chance.randint(1, 12)))
        try:
            await search_all(engine.db, query, tenant=chance.choice([None, "default"]))
        except BadRequest:
            refused += 1
    assert refused < 1000
