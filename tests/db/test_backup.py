"""A dump that is restored is a queue again: nothing is missing, and work goes on where it stood."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from tests.engine import Engine

from headrace.db.connect import Connection, Endpoint
from headrace.db.embedded.binaries import find_install
from headrace.db.migrate import migrate

WHOLE = "select status, count(*) from headrace.jobs group by status order by status"
KEYED = "select headrace.enqueue('work', idempotency_key => 'once')"


async def run(program: str, *arguments: str) -> None:
    """One of PostgreSQL's programs, to a good end."""
    command = [find_install().program(program), *arguments]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


async def test_a_dump_is_restored_whole_and_work_goes_on(
    database_url: str, empty_database_url: str, connection: Connection, tmp_path: Path
) -> None:
    engine = Engine(Endpoint(database_url), connection)
    worker = await engine.worker()
    await engine.enqueue()
    (held,) = await engine.claim(worker)
    keyed = await connection.fetchval(KEYED)
    before = await connection.fetch(WHOLE)

    dump = str(tmp_path / "dump")
    await run("pg_dump", "--format=custom", f"--file={dump}", database_url)
    await run("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={empty_database_url}", dump)
    assert await migrate(Endpoint(empty_database_url)) == ([], [])
    restored = await Endpoint(empty_database_url).connect("test")
    try:
        assert await restored.fetch(WHOLE) == before
        assert await restored.fetchval(KEYED) == keyed
        again = Engine(Endpoint(empty_database_url), restored)
        await again.lose(worker)
        assert await again.rescue() == 1
        assert {job.job_id for job in await again.claim(await again.worker())} == {held.job_id, keyed}
    finally:
        await restored.close()
