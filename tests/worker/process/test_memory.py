"""What a worker says of the memory of its process."""

from __future__ import annotations

from pathlib import Path

from tests.waiting import until
from tests.worker.running import working

from headrace import Headrace
from headrace.db.connect import Connection
from headrace.worker.process.memory import resident_bytes

MEGABYTE = 1024 * 1024


async def test_a_heartbeat_tells_how_much_there_is(hr: Headrace, connection: Connection) -> None:
    @hr.job
    async def noop() -> None:
        """For there must be one."""

    async with working(hr):

        async def is_told() -> bool:
            told = await connection.fetchval("select memory_bytes from headrace.worker where state = 'live'")
            return told is not None and told > MEGABYTE

        await until("its memory is known", is_told)


def test_where_the_system_does_not_tell_nothing_is_said(tmp_path: Path) -> None:
    assert resident_bytes(tmp_path / "absent") is None
    strange = tmp_path / "strange"
    strange.write_text("nothing")
    assert resident_bytes(strange) is None
