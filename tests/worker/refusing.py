"""A database that refuses a statement for reasons of its own, so many times and then no more."""

from __future__ import annotations

from headrace.db.connect import Connection

# A sequence is not rolled back.
FAULT = """
    create sequence public.fault;
    create function public.fail() returns trigger language plpgsql security definer as $$
    begin
      if nextval('public.fault') <= {times} then
        raise exception 'a fault for the test' using errcode = '{sqlstate}';
      end if;
      return new;
    end $$;
    create trigger fail before insert on headrace.{table} for each row execute function public.fail();
"""


async def refuse_inserts(connection: Connection, table: str, sqlstate: str, *, times: int) -> None:
    """The next inserts into a table of ours fail."""
    await connection.execute(FAULT.format(table=table, sqlstate=sqlstate, times=times))


async def inserts_tried(connection: Connection) -> int:
    """How many rows were to be inserted since, refused ones too."""
    tried: int = await connection.fetchval("select last_value from public.fault")
    return tried
