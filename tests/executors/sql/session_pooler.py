"""What PgBouncer does to a login in `pool_mode = session`: it refuses settings that it does not know."""

from __future__ import annotations

import asyncio
import shutil
import struct
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

KNOWN = {b"user", b"database", b"application_name", b"client_encoding", b"DateStyle", b"TimeZone"}


@asynccontextmanager
async def session_pooled(url: str) -> AsyncIterator[tuple[str, list[bytes]]]:
    """The URL through the pooler for the block, and the settings that it has refused so far."""
    query = parse_qs(urlsplit(url).query)
    server = f"{query['host'][0]}/.s.PGSQL.{query['port'][0]}"
    refused: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        (length,) = struct.unpack("!i", await reader.readexactly(4))
        startup = await reader.readexactly(length - 4)
        unknown = set(startup[4:].split(b"\0")[:-2:2]) - KNOWN
        if unknown:
            refused.extend(unknown)
            words = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: " + min(unknown) + b"\0\0"
            writer.write(b"E" + struct.pack("!i", len(words) + 4) + words)
            writer.close()
            return
        far_reader, far_writer = await asyncio.open_unix_connection(server)
        far_writer.write(struct.pack("!i", length) + startup)
        await asyncio.gather(_pass_on(reader, far_writer), _pass_on(far_reader, writer))

    folder = Path(tempfile.mkdtemp(prefix="pooler-"))
    listener = await asyncio.start_unix_server(serve, folder / f".s.PGSQL.{query['port'][0]}")
    parts = urlsplit(url)
    try:
        yield urlunsplit(parts._replace(query=f"host={quote(str(folder))}&port={query['port'][0]}")), refused
    finally:
        listener.close()
        shutil.rmtree(folder)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while part := await reader.read(65_536):
        writer.write(part)
    writer.close()
