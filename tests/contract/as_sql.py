"""Functions of the database."""

from __future__ import annotations

from typing import Any

from tests.contract.way import Way
from tests.worker.running import app_on

from headrace import Headrace
from headrace.config import SqlSettings
from headrace.db.connect import Connection
from headrace.db.embedded.roles import SQL_ROLE, sql_role_url

FUNCTIONS = {
    "succeed": "return done(jsonb_build_object('double', 2 * (payload ->> 'n')::int));",
    "fail": "return jsonb_build_object('success', false, 'message', 'it broke');",
    # What a failed attempt wrote is rolled back, and so is not seen by the next; a sequence is.
    "recover": "if nextval('contract.runs') = 1 then raise 'it broke'; end if; return done('{\"is\": \"recovered\"}');",
    "slow": "perform pg_sleep(3600); return done('{}');",
    "hang": "raise notice 'started %', pg_backend_pid(); perform pg_sleep(3600); return done('{}');",
    "crash": "perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(3600); return done('{}');",
    "large": "return done(jsonb_build_object('is', repeat('x', (payload ->> 'size')::int)));",
    "talk": "for n in 1 .. (payload ->> 'count')::int loop raise notice 'line %', n; end loop; return done('{}');",
    "leak": "raise notice 'the password is %', payload ->> 'password';"
    " return done(jsonb_build_object('password_was', payload ->> 'password'));",
    "leak_and_fail": "raise notice 'the password is %', payload ->> 'password';"
    " raise 'it broke with %', payload ->> 'password';",
}
ONE_ATTEMPT = ("fail", "slow", "crash", "large", "leak_and_fail")


class AsSql(Way):
    """Its result is `{"message", "details"}`: what a function has to say beside its message is an object."""

    name = "sql"
    crashed = "the connection to PostgreSQL was lost: nothing was committed"

    async def prepare(self, url: str, connection: Connection) -> Headrace:
        await connection.execute(
            f"create schema contract; grant usage on schema contract to {SQL_ROLE};"
            f"create sequence contract.runs; grant usage on contract.runs to {SQL_ROLE};"
            "update headrace.sql_setting set allowed_schemas = '{contract}';"
            "create function contract.done(details jsonb) returns jsonb return"
            " jsonb_build_object('success', true, 'message', 'done', 'details', details)"
        )
        for key, body in FUNCTIONS.items():
            body = body.replace("done(", "contract.done(")
            await connection.execute(
                f"create function contract.{key}(payload jsonb) returns jsonb language plpgsql as $$begin {body} end$$"
            )
            await connection.execute(
                "select headrace.define_sql_job($1, $2, '', $3, $4)",
                *(key, f"contract.{key}", 0.5 if key == "slow" else None, 1 if key in ONE_ATTEMPT else 3),
            )
        sql = SqlSettings(database_url=sql_role_url(url), allowed_schemas=("contract",))
        return app_on(url, "contract", shutdown_timeout_s=0.1, sql=sql)

    async def clean_up(self, connection: Connection) -> None:
        await connection.execute(
            "drop schema contract cascade; update headrace.sql_setting set allowed_schemas = default"
        )

    def result(self, stored: Any) -> Any:
        details = stored["details"]
        return details.get("is", details)

    async def is_gone(self, mark: str, connection: Connection) -> bool:
        return not await connection.fetchval("select exists (select from pg_stat_activity where pid = $1)", int(mark))
