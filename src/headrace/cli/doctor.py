"""`headrace doctor`: look for trouble, and say what to do."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from headrace.cli.core.call import Call, speaks_to_api
from headrace.cli.output.tables import clean, console

if TYPE_CHECKING:
    from headrace.service.doctor import Finding

INDENT = 20
NARROWEST = 20
STYLES = {"ok": "green", "warn": "yellow", "fail": "bold red"}


@speaks_to_api
async def doctor(call: Call) -> None:
    """Check the database, its settings, the schema, workers and triggers; exit 1 when a check fails.

    It needs the database. With --url only the server's own readiness is asked for.

    Example: headrace doctor
    """
    findings = await (_ask_server(call) if call.url is not None else _examine(call))
    if any(finding["state"] == "fail" for finding in findings):
        raise typer.Exit(1)


async def _examine(call: Call) -> list[dict[str, Any]]:
    from headrace.config import load_settings
    from headrace.db.database import Database
    from headrace.errors import DatabaseUnusable
    from headrace.service.doctor import Finding, Target, examine

    settings = load_settings(file=None if call.config is None else Path(call.config))
    where = settings.database
    try:
        database = await Database.open(
            url=where.url, data_dir=settings.data_dir, pool_size=2, migrated=False, pooler=where.pooler
        )
    except DatabaseUnusable as error:
        return [
            _tell(
                call,
                Finding("database", "fail", str(error), "see headrace config get database.url"),
            )
        ]
    try:
        found = [_tell(call, finding) async for finding in examine(Target(database, settings))]
    finally:
        await database.close()
    _sum_up(call, found)
    return found


async def _ask_server(call: Call) -> list[dict[str, Any]]:
    from headrace.service.doctor import Finding

    async with call.api() as api:
        status, said = await api.readiness()
    if status == 200:
        heard = "notifications arrive" if said.get("notifications") else "notifications do not arrive"
        finding = Finding("server", "ok", f"ready; live workers: {said.get('workers', 0)}; {heard}")
    else:
        finding = Finding(
            "server",
            "fail",
            str(said.get("detail", "not ready")),
            "run headrace doctor where the database is configured",
        )
    told = [_tell(call, finding)]
    if not call.as_json:
        console().print("The other checks need the database: run headrace doctor without --url.")
    return told


def _tell(call: Call, finding: Finding) -> dict[str, Any]:
    """At once, so that one sees what takes long."""
    said = {"check": finding.name, "state": finding.state, "detail": finding.detail, "do": finding.do}
    if call.as_json:
        call.show.json_line(said)
        return said
    from rich.text import Text

    out = console()
    first, *more = _wrapped(finding.detail, out.width)
    out.print(Text.assemble((f"{finding.state:<4} ", STYLES[finding.state]), (f"{finding.name:<14} ", "bold"), first))
    for line in more:
        out.print(f"{'':<{INDENT}}{line}")
    for line in _wrapped(f"→ {finding.do}", out.width) if finding.do is not None else []:
        out.print(Text(f"{'':<{INDENT}}{line}", style="cyan"))
    return said


def _wrapped(text: str, width: int) -> list[str]:
    """In the column behind the names, broken between words; what is one word, such as a path, stays whole."""
    room = max(NARROWEST, width - INDENT)
    return textwrap.wrap(clean(text), room, break_long_words=False, break_on_hyphens=False) or [""]


def _sum_up(call: Call, findings: list[dict[str, Any]]) -> None:
    count = {state: sum(1 for finding in findings if finding["state"] == state) for state in STYLES}
    call.show.note(f"{count['ok']} ok, {count['warn']} warnings, {count['fail']} failed")
