"""Functions of a stranger under the names of the server's own: our sessions run none of them."""

from __future__ import annotations

import asyncpg
import pytest
from tests.engine import Engine
from tests.logins import as_login

from headrace.db.connect import Endpoint
from headrace.db.migrate import migrate

# Who may create in `public` could have the owner run this: an exact match wins over a polymorphic function.
OVERLOAD = """
create function public.unnest(text[]) returns setof text language plpgsql as $$
begin
  raise exception 'a stranger runs as %', current_user;
end $$"""


async def test_no_session_of_ours_runs_a_strangers_function_in_place_of_the_servers(engine: Engine) -> None:
    await engine.db.execute(OVERLOAD)
    try:
        await migrate(engine.endpoint)
        for role in ("headrace_app", "headrace_worker", "headrace_server"):
            login = await Endpoint(as_login(engine.endpoint.url, role)).connect("login")
            assert await login.fetchval("show search_path") == "pg_catalog"
            assert await login.fetch("select unnest(headrace._roles())")
            await login.close()
    finally:
        await engine.db.execute("drop function public.unnest(text[])")


async def test_a_correlation_id_is_as_short_in_sql_as_elsewhere(engine: Engine) -> None:
    for verb in ("enqueue('work',", "emit('x',"):
        with pytest.raises(asyncpg.PostgresError, match="at most 500 characters"):
            await engine.db.execute(f"select headrace.{verb} correlation_id => repeat('x', 501))")


async def test_a_role_that_lost_all_that_it_owned_gets_its_rows_back_with_its_rights(engine: Engine) -> None:
    policies = "select count(*) from pg_policies where schemaname = 'headrace' and 'headrace_app' = any(roles)"
    had = await engine.db.fetchval(policies)
    await engine.db.execute("drop owned by headrace_app")
    assert await engine.db.fetchval(policies) == 0
    await engine.db.execute("select headrace._grant_rights()")
    assert await engine.db.fetchval(policies) == had
