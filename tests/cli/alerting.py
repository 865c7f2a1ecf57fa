"""An alert, and somebody who could tell of it, without waiting for either."""

from __future__ import annotations

from tests.cli.touring import Cli

from headrace.alerts.delivery_job import DELIVER


async def raise_alert(cli: Cli, rule: str = "died") -> str:
    """An open alert of a rule, which nobody closes: the worker of the tour looks at rules too."""
    async with cli.hr.database.pool.acquire() as conn:
        # This waits for a look that is under way, and then there is none for an hour.
        await conn.execute("update headrace.alert_turn set looked_at = now() + '1 hour', took = '0'")
        return str(
            await conn.fetchval(
                "insert into headrace.alert (rule_id, tenant_id, subject, since, last_seen, count, error)"
                " select id, tenant_id, 'flaky', now(), now(), 2, 'Boom: it broke' from headrace.alert_rule"
                " where name = $1 returning id",
                rule,
            )
        )


async def know_sending(cli: Cli) -> None:
    """As if a worker that sends notices had been here."""
    async with cli.hr.database.pool.acquire() as conn:
        await conn.execute(
            "insert into headrace.definition (key, kind, app, hash, queue, system)"
            " values ($1, 'python', 'headrace', '-', 'headrace', true)",
            DELIVER,
        )
