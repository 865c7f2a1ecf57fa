"""SQL's own look at a cron rule and at a zone: its verdict is Python's, on every rule and every name."""

from __future__ import annotations

from zoneinfo import available_timezones

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.at_once import refusal
from tests.engine import Engine
from tests.triggers.cron.cron_rules import rules

from headrace.errors import BadRequest
from headrace.model.time.cron import CronRule
from headrace.model.time.zone import UnknownZone, zone

GOOD = (
    """
* * * * *|0 0 * * *|*/5 * * * *|0-30/5 * * * *|59 23 31 12 7|0 0 1 1 0|@daily|@Hourly|@YEARLY|@annually|@monthly|@weekly
@midnight|0 9-17 * * MON-FRI|0 9-17 * * mon-fri|0 0 * JAN-MAR *|0 0 * jan,Feb,DEC *|0 0 L * *|0 0 LW * *|0 0 * * 5L
0 0 * * 7L|0 0 * * MON#1|0 0 * * 1#5|0 0 * * SUN#2|0 0 1,15 * *|0 0 29 2 *|0 0 29 2 MON|1-7 * * * MON|0 0 1-7 * MON
0 0 1-7 * */7|5/15 * * * *|0 0 1/2 * *|0 */2 * * *|00 05 01 02 *|0,0,0 * * * *|*/59 * * * *|* */23 * * *|* * */31 * *
* * * */12 *|* * * * */7|* * * * 0-7|* * * * 1-5/2|* * * FEB-MAY/2 *|0 0 31 1,3,5 *|0 0 31 2 1|0 0 L,15 * *
0 0 * * 0L,MON#2|0 0 * * FRI
10-20,40-50/5 1,2,3-5 * * *|  0   0 * * *  |0 0 *,1 * *|007 * * * *|*/05 * * * *|0 0 * * SUN-SAT|0 0 1 1 SAT
0 0 13 * FRI|15 10 * * 1-5|0 12 * * TUE,THU|30 6 1-7 * *|0 22 * * 1-5|23 0-20/2 * * *|5 4 * * sun|@WEEKLY|000005 1 * * *
*/000010 * * * *|0 0 * * 07#1|0 0 * * 007
""".strip()
    .replace("\n", "|")
    .split("|")
)
BAD = (
    """
* * * *|* * * * * *|60 * * * *|* 24 * * *|* * 0 * *|* * 32 * *|* * * 13 *|* * * 0 *|* * * * 8|*/60 * * * *|*/0 * * * *
*/ * * * *|1- * * * *|-1 * * * *|1,,2 * * * *|,1 * * * *|1, * * * *|? * * * *|* * 15W * *|* * * * MON#6|* * * * MON#0
* * L-2 * *|a * * * *|JAN * * * *|* * * MON *|* * * * JAN|1.5 * * * *|@reboot|@|@daily @daily|1--2 * * * *|1-2-3 * * * *
1/2/3 * * * *|* * * JANUARY *|$ * * * *|99999999999999999999 * * * *|*/99999999999999999999 * * * *
* * * * 8L|L * * * *|# * * * *
""".strip()
    .replace("\n", "|")
    .split("|")
)


async def test_what_python_takes_sql_takes(engine: Engine) -> None:
    spaced = ["0 0 * * *\n", "\t0 0 * * *", "0\t0 *  * *", "0 0 * * *\r\n", "0 0 * * *\f", "\v0 0 * * *"]
    assert [rule for rule in (*GOOD, *spaced) if not is_valid(rule)] == []
    assert {rule: said for rule in (*GOOD, *spaced) if (said := await problem(engine, rule))} == {}


async def test_what_is_plainly_wrong_both_refuse(engine: Engine) -> None:
    assert [rule for rule in BAD if is_valid(rule)] == []
    assert [rule for rule in BAD if not await problem(engine, rule)] == []


def terms(low: int, high: int, names: tuple[str, ...], special: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Terms of a field, most of them good."""
    value = st.one_of(st.integers(low, high).map(str), st.integers(0, 9).map(lambda n: f"0{n}"))
    if names:
        value = st.one_of(value, st.sampled_from(names))
    step = st.one_of(st.just(""), st.integers(1, high).map(lambda n: f"/{n}"))
    ranges = st.tuples(value, value).map("-".join)
    plain = st.tuples(st.one_of(st.just("*"), value, ranges), step).map("".join)
    return st.one_of(plain, st.sampled_from(special)) if special else plain


def fields(*given: object) -> st.SearchStrategy[str]:
    return st.lists(terms(*given), min_size=1, max_size=3).map(",".join)  # type: ignore[arg-type]


RULES = st.tuples(
    fields(0, 59, (), ()),
    fields(0, 23, (), ()),
    fields(1, 31, (), ("L", "LW")),
    fields(1, 12, ("JAN", "feb", "Dec"), ()),
    fields(0, 7, ("SUN", "mon", "Sat"), ("5L", "MON#2", "sun#5", "3#1")),
).map(" ".join)
SCRAMBLED = st.lists(
    st.text(alphabet="0123456789*/-,LW#?@SUNMONFRIJANDEC \t\x1c.", min_size=1, max_size=8), min_size=5, max_size=5
).map(" ".join)


async def test_both_say_the_same_of_every_kind_of_rule(engine: Engine) -> None:
    asked = list(dict.fromkeys(rules()))
    assert len(asked) > 2000
    assert await differences(engine, asked) == {}


async def test_both_say_the_same_of_any_rule(engine: Engine) -> None:
    seen: set[str] = set()

    @settings(max_examples=500, deadline=None, database=None)
    @given(st.one_of(RULES, SCRAMBLED))
    def collect(rule: str) -> None:
        seen.add(rule)

    collect()
    verdicts = [is_valid(rule) for rule in seen]
    assert min(verdicts.count(True), verdicts.count(False)) > 50
    assert await differences(engine, list(seen)) == {}


async def test_both_say_the_same_without_the_standard_reading_of_strings(engine: Engine) -> None:
    await engine.db.execute("set standard_conforming_strings = off")
    assert await differences(engine, [*GOOD, *BAD]) == {}


async def test_both_say_the_same_of_every_zone(engine: Engine) -> None:
    taken = {row[0] for row in await engine.db.fetch("select headrace._zones()")}
    known = {row[0] for row in await engine.db.fetch("select name from pg_timezone_names")}
    assert taken == {name for name in known | available_timezones() if is_zone(name)}
    odd = ["Factory", "localtime", "posixrules", "posix/UTC", "right/UTC", "utc", "europe/berlin", "Europe/Berlin ", ""]
    odd += ["PST", "CEST", "+05", "UTC+1", "<+05>-5", "../UTC", "/UTC", "Europe", "Europe/", "\u212a"]
    assert [name for name in odd if is_zone(name)] == []
    for name in odd:
        error = await refusal(engine.db.execute("select headrace._check_zone($1)", name))
        assert (error.sqlstate, "there is no time zone" in str(error)) == ("HR400", True)


async def differences(engine: Engine, asked: list[str]) -> dict[str, str]:
    """Rules on which the two do not agree, with what SQL says of each."""
    rows = await engine.db.fetch(
        "select rule, headrace._cron_problem(rule) as said from unnest($1::text[]) as rule", asked
    )
    return {row["rule"]: row["said"] or "fine" for row in rows if (row["said"] is None) != is_valid(row["rule"])}


def is_zone(name: str) -> bool:
    try:
        zone(name)
    except UnknownZone:
        return False
    return True


async def problem(engine: Engine, rule: str) -> str | None:
    """What SQL finds wrong with a rule."""
    said: str | None = await engine.db.fetchval("select headrace._cron_problem($1)", rule)
    return said


def is_valid(rule: str) -> bool:
    """Whether Python takes it."""
    try:
        CronRule.parse(rule)
    except BadRequest:
        return False
    return True
