"""Cron rules of every kind that suites of cron libraries try: some hundreds, good and bad."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

# Terms that are put into each field in turn, whatever the field takes.
NUMBERS = (
    "0",
    "1",
    "7",
    "8",
    "12",
    "13",
    "23",
    "24",
    "28",
    "29",
    "30",
    "31",
    "32",
    "59",
    "60",
    "99",
    "100",
    "-1",
    "+1",
)
SPELLED = (
    *("00", "01", "007", "059", "0000000059", "1.5", "1e1", "0x1", "1_0", "9" * 20, "0" * 120 + "1", "9" * 120),
    *("\u0661", "\uff11", "\u00b2", "\u2164", "\u0130", "\u017fun", "\u212a", "1\u00a0", "\u200b1"),
)
STARS = (
    "*",
    "**",
    "*,*",
    "*-5",
    "5-*",
    "*/1",
    "*/2",
    "*/7",
    "*/12",
    "*/23",
    "*/24",
    "*/31",
    "*/59",
    "*/60",
    "*/0",
    "*/00",
)
STEPS = (
    *(
        "*/",
        "/5",
        "*/-1",
        "*/+1",
        "*/1.5",
        "*/a",
        "*/*",
        "*/5/5",
        "*/007",
        "*/99999999999999999999",
        "5/15",
        "5/0",
        "5/",
    ),
    *(
        "0/1",
        "1/1",
        "1-5/2",
        "1-5/1",
        "1-5/0",
        "5-5",
        "5-5/1",
        "5-5/2",
        "05-5/2",
        "1-1/31",
        "0-0/1",
        "*/5,*/7",
        "1-9/3,2",
    ),
)
RANGES = (
    *(
        "1-5",
        "5-1",
        "0-6",
        "0-7",
        "6-7",
        "7-0",
        "1-12",
        "12-1",
        "1-31",
        "0-23",
        "0-59",
        "17-9",
        "22-2",
        "1-",
        "-5",
        "1--5",
    ),
    *("1-2-3", "1-60", "60-61", "01-05", "1 - 5", "1..5", "1~5", "1:5", "5-05", "31-1"),
)
LISTS = (
    "1,2,3",
    "3,2,1",
    "1,1",
    "1,",
    ",1",
    "1,,2",
    ",",
    "1;2",
    "1|2",
    "1-3,5-7",
    "1-3,7-5",
    "1-5,3",
    "1,60",
    "*,1",
    "1,*",
)
NAMES = (
    *(
        "SUN",
        "mon",
        "Tue",
        "WED",
        "thu",
        "FRI",
        "sat",
        "SUNDAY",
        "MO",
        "M",
        "FUN",
        "JAN",
        "feb",
        "Mar",
        "DEC",
        "JANUARY",
    ),
    *(
        "MON-FRI",
        "mon-fri",
        "FRI-MON",
        "FRI-SUN",
        "SUN-SAT",
        "SAT-SUN",
        "SUN-SUN",
        "SUN-SUN/2",
        "FRI-7",
        "5-SUN",
        "SUN-7",
    ),
    *("1-FRI", "MON-5", "MON,WED,FRI", "MON-FRI/2", "MON/2", "SUN/7", "JAN-MAR", "DEC-FEB", "NOV-JAN", "JAN-DEC/3"),
    *("1-MAR", "JAN-3", "FEB/3", "JAN,DEC", "MON-JAN", "MON-", "-FRI", "MONFRI", "TUE1", "1TUE"),
)
SPECIAL = (
    *(
        "L",
        "l",
        "LW",
        "lw",
        "WL",
        "W",
        "15W",
        "1W",
        "LW-1",
        "L-1",
        "L-3",
        "L/2",
        "LW/2",
        "L-5/2",
        "L,15",
        "15,L",
        "LW,L",
        "L,LW",
    ),
    *("0L", "5L", "7L", "07L", "8L", "FRIL", "friL", "5l", "LL", "5LW", "1L-5L", "5L/2", "5L,1L", "1-5L", "L5", "10L"),
    *(
        "MON#1",
        "mon#2",
        "1#1",
        "7#5",
        "0#5",
        "07#1",
        "007#2",
        "8#1",
        "1#0",
        "1#6",
        "1#05",
        "1#01",
        "#1",
        "1#",
        "1#1#1",
        "#",
    ),
    *("FUN#1", "1-5#2", "MON#1,FRI#3", "MON#1/2", "1#1-3", "*#1", "MON#L", "1,2#3", "JAN#1", "SUN#5"),
    *(
        "?",
        "*?",
        "?/2",
        "H",
        "H/5",
        "R",
        "%",
        "$",
        "a",
        "-",
        "--",
        "=",
        "1'",
        '1"',
        "(1)",
        "[1]",
        "{1}",
        "\\1",
        "\\*",
        "^1$",
        ".",
    ),
)
TERMS = tuple(dict.fromkeys((*NUMBERS, *SPELLED, *STARS, *STEPS, *RANGES, *LISTS, *NAMES, *SPECIAL)))

# Days and months that may have nothing in common.
DAYS = ("*/31", "29", "30", "31,30", "30/1", "L", "L,31")
MONTHS = ("*", "FEB", "4,6,9,11", "2-4", "*/12")
WEEKDAYS = ("*", "1", "MON#5", "5L", "*,MON#1", "*/2")

SPACES = (
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\f",
    "\v",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
    "\u00a0",
    "\u2003",
    "\u0085",
    "\x07",
)
WHOLE = (
    *(
        "",
        " ",
        "*",
        "* *",
        "* * *",
        "* * * *",
        "* * * * *",
        "* * * * * *",
        "* * * * * * *",
        "0 * * * * *",
        "* * * * * 2030",
    ),
    *("0 0 0 1 1 ? 2030", "0 12 ? * MON-FRI", "0 0 12 1/5 * ?", "0 15 10 L-2 * ?", "0 15 10 15W * ?", "0 0 1,15 * ?"),
    *("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@DAILY", "@Daily", " @daily "),
    *(
        "@reboot",
        "@every 5m",
        "@every_minute",
        "@minutely",
        "@fortnightly",
        "@",
        "@@daily",
        "@daily @daily",
        "@daily *",
    ),
    *(
        "daily",
        "@da ily",
        "@d\u0131ily",
        "\u212aaily",
        "TZ=UTC * * * * *",
        "CRON_TZ=UTC 0 0 * * *",
        "# comment",
        "R/P1D",
    ),
    *(
        "every 5 minutes",
        "* * * * * # note",
        "0 0 * * * root",
        "0 0 * * *;",
        '"0 0 * * *"',
        "'0 0 * * *'",
        "\\* * * * *",
    ),
    *(
        "0 0 13 * FRI",
        "0 0 1-7 * MON",
        "0 0 1-7 * */7",
        "0 0 */2 * */3",
        "0 17-9 * * *",
        "0 8 * * FRI-MON",
        "23 0-20/2 * * *",
    ),
    *("5 4 * * sun", "0 22 * * 1-5", "15 14 1 * *", "0,30 8-17 * * 1-5", "10-20,40-50/5 1,2,3-5 * * *", "9" * 201),
    *("0" * 192 + " * * * *", "0" * 193 + " * * * *", "0 0 * * *" + " " * 191, "0 0 * * *" + " " * 192, "\u00e9" * 200),
)


def rules() -> Iterator[str]:
    """Each kind of term in each field; days that come with months that may not have them; blanks; whole rules."""
    for place, term in product(range(5), TERMS):
        yield " ".join(term if place == field else "*" for field in range(5))
    for place, term in product(range(5), (*NAMES, *SPECIAL, *STEPS)):
        yield " ".join(term if place == field else "1" for field in range(5))
    for day, month, weekday in product(DAYS, MONTHS, WEEKDAYS):
        yield f"0 0 {day} {month} {weekday}"
    for space in SPACES:
        yield space.join("00***")
        yield f"{space}0 0 * * *"
        yield f"0 0 * * *{space}"
        yield f"@daily{space}"
    yield from WHOLE
