"""What a search finds: words, phrases, prefixes, exclusions, substrings, and only whose lines one may see."""

from __future__ import annotations

import itertools
from datetime import timedelta

import pytest
from tests.engine import Engine
from tests.logs.printing import INFO, find, messages, now, put, search_all, start, tenant

from headrace.db.connect import Connection
from headrace.errors import BadRequest, NotFound
from headrace.logs.search import search
from headrace.model.log.line import LOG, LogLine

TEXTS = {
    "dotted": "raised requests.exceptions.ReadTimeout: timed out",
    "path": 'File "/a/b/c.py", line 42, in <module>',
    "dashes": "user-id is -42, offset +7, build 2024-05-06",
    "fields": "user_id=42 tenant=acme&mode=fast",
    "quotes": "it's \"quoted\" and can't be 'wrong'",
    "repr": "<Task pending name='Task-1' coro=<sync() running>>",
    "uuid": "job 0192f3c4-1111-7abc-8def-0123456789ab done",
    "ansi": "\x1b[1;31mERR\x1b[0mOR in \x1b]8;;http://x\x07link\x1b]8;;\x07 here",
    "foreign": "Straße überquert, 日本語 ok",
    "plain": "Retry of the sync was not possible",
}

FOUND = {
    "ReadTimeout": ["dotted"],
    "readtimeout": ["dotted"],
    "requests": ["dotted"],
    "exceptions.ReadTimeout": ["dotted"],
    "requests.exceptions.ReadTimeout:": ["dotted"],
    "exceptions timed": ["dotted"],
    "c.py": ["path"],
    "/a/b/c.py": ["path"],
    "b/c": ["path"],
    "module": ["path"],
    "<module>": ["path"],
    "c.b": [],
    "42": ["path", "dashes", "fields"],
    "7": ["dashes"],
    "+7": ["dashes"],
    "user": ["dashes", "fields"],
    "user-id": ["dashes", "fields"],
    "user_id=42": ["fields"],
    "2024-05-06": ["dashes"],
    "mode": ["fields"],
    "wrong": ["quotes"],
    "can't": ["quotes"],
    "pending": ["repr"],
    "coro": ["repr"],
    "0192f3c4-1111-7abc-8def-0123456789ab": ["uuid"],
    "7abc": ["uuid"],
    "error": ["ansi"],
    "31mERR": [],
    "link": ["ansi"],
    "http": [],
    "Straße": ["foreign"],
    "日本語": ["foreign"],
    "not": ["plain"],
    "sync": ["repr", "plain"],
    "sync -retry": ["repr"],
    "sync -Retry -pending": [],
    '"timed out"': ["dotted"],
    '"out timed"': [],
    '"retry of the"': ["plain"],
    '"retry the"': [],
    'sync -"of the"': ["repr"],
    "read*": ["dotted"],
    "exceptions.Read*": ["dotted"],
    "retr* possib*": ["plain"],
    "sync -ret*": ["repr"],
    '"timed out': ["dotted"],
    "42 -user": ["path"],
    "or": [],
    "and": ["quotes"],
    "~c.py": ["path"],
    "~TIMEOUT: TIMED": ["dotted"],
    "~error in link here": ["ansi"],
    "~user_id=4": ["fields"],
    "~%": [],
    "~''": [],
    "~nothing like it": [],
}


async def put_texts(conn: Connection) -> None:
    began = await now(conn)
    job_id = (await conn.fetchval("select headrace._job_ids(1)"))[0]
    await put(
        conn,
        [
            LogLine(job_id, 1, n, began - timedelta(milliseconds=n), INFO, LOG, text)
            for n, text in enumerate(TEXTS.values(), 1)
        ],
    )


async def test_queries_find_what_people_mean(engine: Engine) -> None:
    await put_texts(engine.db)
    names = {text: name for name, text in TEXTS.items()}
    found = {query: [names[text] for text in await find(engine.db, query)] for query in FOUND}
    assert found == FOUND


async def test_the_index_finds_the_same_as_a_walk_over_the_lines(engine: Engine) -> None:
    await put_texts(engine.db)
    job_id = (await engine.db.fetchval("select headrace._job_ids(1)"))[0]
    later = await now(engine.db) + timedelta(seconds=1)
    await put(
        engine.db,
        [LogLine(job_id, 1, n, later + timedelta(milliseconds=n), INFO, LOG, "filler") for n in range(1, 1501)],
    )
    names = {text: name for name, text in TEXTS.items()}
    found = {query: [names[text] for text in await find(engine.db, query)] for query in FOUND}
    assert found == FOUND


async def test_an_empty_query_lists_the_newest(engine: Engine) -> None:
    await put_texts(engine.db)
    for query in ("", "  \n"):
        assert await find(engine.db, query) == list(TEXTS.values())
    assert await find(engine.db, "-retry", limit=3) == [text for text in TEXTS.values() if "Retry" not in text]


async def test_filters_by_definition_job_level_and_time(engine: Engine) -> None:
    worker = await engine.worker()
    runs = [await start(engine, worker=worker, key=key) for key in ("work", "mail")]
    lines = [
        run.line(f"hello {run.held.lane_id} {level}", level=level)
        for level, run in itertools.product((10, 20, 25, 30, 40), runs)
    ]
    await runs[0].write(lines)

    def text(*chosen: LogLine) -> list[str]:
        return [line.message for line in sorted(chosen, key=lambda line: (line.at, line.job_id), reverse=True)]

    for query in ("hello", ""):
        assert await find(engine.db, query, definition="mail") == text(*lines[1::2])
        assert await find(engine.db, query, job_id=runs[0].job_id) == text(*lines[::2])
        for level in (0, 10, 15, 20, 21, 25, 26, 40):
            assert await find(engine.db, query, level=level) == text(*(line for line in lines if line.level >= level))
        assert await find(engine.db, query, level=41) == []
        since, until = lines[2].at, lines[6].at
        assert await find(engine.db, query, since=since, until=until) == text(
            *(line for line in lines if since <= line.at < until)
        )
        assert await find(engine.db, query, since=until, until=since) == []
        assert await find(engine.db, query, level=30, definition="mail", job_id=runs[1].job_id) == text(*lines[7::2])
        assert await find(engine.db, query, definition="mail", job_id=runs[0].job_id) == []


async def test_a_tenant_never_sees_anothers_line_whatever_the_query(engine: Engine) -> None:
    began = await now(engine.db)
    ids = {name: await tenant(engine.db, name) for name in ("acme", "other")}
    for n, (name, tenant_id) in enumerate(ids.items()):
        (job_id,) = await engine.db.fetchval("select headrace._job_ids(1)")
        lines = [
            LogLine(job_id, 1, seq, began + timedelta(milliseconds=2 * seq + n), 40, LOG, f"secret of {name}")
            for seq in range(1, 1201)
        ]
        await put(engine.db, lines, tenant_id=tenant_id)
        if name == "other":
            others_job = job_id
    queries = [
        "",
        "secret",
        "sec*",
        '"secret of"',
        "-nothing",
        "secret -nothing",
        "~secret",
        "other",
        "~of other",
    ]
    for query in queries:
        hits = await search_all(engine.db, query, tenant="acme", limit=1000)
        assert {hit.tenant for hit in hits} <= {"acme"}
        assert len(hits) == (0 if "other" in query else 1200), query
        assert await find(engine.db, query, tenant="acme", job_id=others_job) == []


async def test_the_setting_confines_whoever_calls_to_one_tenant(engine: Engine) -> None:
    await put_texts(engine.db)
    await tenant(engine.db, "acme")
    async with engine.db.transaction():
        await engine.db.execute("set local headrace.tenant = 'acme'")
        assert await find(engine.db, "") == []
        assert await find(engine.db, "", tenant="acme") == []
        with pytest.raises(NotFound, match="unknown tenant"):
            await find(engine.db, "", tenant="default")
    assert len(await find(engine.db, "", tenant="default")) == len(TEXTS)


async def test_only_the_owner_may_call_the_function_until_it_is_granted(engine: Engine) -> None:
    allowed = "select has_function_privilege('pg_monitor', oid, 'execute') from pg_proc where proname = $1"
    assert await engine.db.fetchval(allowed, "search_log") is False
    assert await engine.db.fetchval(allowed, "_log_words") is True
    assert await engine.db.fetchval("select prosecdef from pg_proc where proname = 'search_log'")
    settings = await engine.db.fetchval("select proconfig from pg_proc where proname = 'search_log'")
    assert "search_path=pg_catalog, pg_temp" in settings


async def test_unknown_names_are_not_found(engine: Engine) -> None:
    with pytest.raises(NotFound, match='unknown tenant "nobody"'):
        await search(engine.db, "x", tenant="nobody")
    with pytest.raises(NotFound, match='unknown definition "nothing"'):
        await search(engine.db, "x", definition="nothing")


async def test_a_hit_tells_all_about_its_line(engine: Engine) -> None:
    await tenant(engine.db, "acme")
    run = await start(engine, key="mail", tenant="acme")
    await run.write([run.line("a \\ \" ' line\twith 日本", level=30, stream=2, fields='{"n": 1.10, "t": "x"}')])
    (hit,) = (await search(engine.db, "line")).hits
    assert (hit.tenant, hit.definition) == ("acme", "mail")
    assert hit.line == run.written[0]


async def test_a_search_leaves_the_sessions_settings_alone(engine: Engine) -> None:
    await put_texts(engine.db)
    names = (
        "enable_indexscan",
        "enable_seqscan",
        "enable_bitmapscan",
        "work_mem",
        "search_path",
        "client_min_messages",
    )
    async with engine.db.transaction():
        before = [await engine.db.fetchval("select current_setting($1)", name) for name in names]
        await search(engine.db, "sync")
        with pytest.raises(BadRequest):
            async with engine.db.transaction():
                await search(engine.db, "...")
        assert [await engine.db.fetchval("select current_setting($1)", name) for name in names] == before


async def test_a_page_says_how_far_back_it_looked(engine: Engine) -> None:
    await put_texts(engine.db)
    page = await search(engine.db, "", limit=4)
    assert messages(page) == list(TEXTS.values())[:4]
    assert not page.complete
    assert page.searched_to == page.hits[-1].line.at
    since = page.hits[-1].line.at
    rest = await search(engine.db, "", since=since)
    assert (len(rest.hits), rest.complete, rest.searched_to, rest.cursor) == (4, True, since, None)
    assert (await search(engine.db, "nowhere")).searched_to is None


async def test_a_search_for_nothing_in_particular_lists_the_newest(engine: Engine) -> None:
    run = await start(engine)
    await run.write([run.line("one"), run.line("two")])
    assert messages(await search(engine.db)) == ["two", "one"]


@pytest.mark.parametrize("query", ["line -number", "~no such text", '"line with number 7"'])
async def test_a_search_ends_when_patience_does_and_the_cursor_goes_on_to_the_end(engine: Engine, query: str) -> None:
    run = await start(engine)
    await engine.db.execute(
        "insert into headrace.log select 1, 1, $1, 1, n, $2::timestamptz + n * interval '1 second', 20, 0,"
        " 'line ' || case n % 7000 when 6999 then '' else 'with number ' end || n from generate_series(1, 50000) as n",
        run.job_id,
        await now(engine.db),
    )
    async with engine.db.transaction():
        short = await search(engine.db, query, limit=1000, patience=timedelta(0))
        assert not short.complete
        assert short.searched_to is not None
        # What was set holds to the end of the transaction, for all pages.
        assert await find(engine.db, query, limit=1000) == await search_messages(engine, query)


async def search_messages(engine: Engine, query: str) -> list[str]:
    """The same with all the time it takes."""
    page = await search(engine.db, query, limit=1000, patience=timedelta(seconds=10))
    hits = messages(page)
    if page.cursor is not None:
        rest = await search_all(engine.db, query, limit=1000, cursor=page.cursor)
        hits += [hit.line.message for hit in rest]
    return hits
