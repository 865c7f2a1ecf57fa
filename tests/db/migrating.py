"""A process that migrates the database it is told, for tests that start or kill several: `migrating.py URL [slow]`."""

from __future__ import annotations

import asyncio
import sys

from headrace.db.connect import Endpoint
from headrace.db.migrate import Migration, migrate, read_migrations

# The server looks often whether its client still lives, for else it would notice only at the end of the statement.
SLOW = Migration(
    9999,
    "slow",
    "set local client_connection_check_interval = '50ms'; create table headrace.half (); select pg_sleep(600)",
    "drop table headrace.half",
)


def main() -> None:
    """Print the numbers of the steps taken."""
    url, *slow = sys.argv[1:]
    taken = asyncio.run(migrate(Endpoint(url), [*read_migrations(), SLOW] if slow else None))
    print(*(step.number for step in taken.steps))


if __name__ == "__main__":
    main()
