"""Every route, for every role, for one's own and for others' things: allowed or refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, get_args

import pytest
from scripts.api_reference import METHODS, openapi
from tests.api.access import ACCESS, IDS, Access, Object
from tests.api.asking import Answer, ask
from tests.api.conftest import Api
from tests.service.seeding import BOTH, seed_everything

from headrace.service import session as service_session
from headrace.service.principal import Role

CALLERS: dict[str, tuple[Role, str | None] | None] = {
    "nobody": None,
    "super_admin": ("super_admin", None),
    "tenant_admin": ("tenant_admin", "acme"),
    "tenant_viewer": ("tenant_viewer", "acme"),
    "worker": ("worker", None),
    "metrics": ("metrics", None),
}


class Operation(NamedTuple):
    """A route."""

    name: str
    method: str
    path: str


@cache
def operations() -> list[Operation]:
    """Every one that the application has."""
    return [
        Operation(operation["operationId"], method, path)
        for path, methods in openapi()["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]


@dataclass
class World:
    """Two tenants with one of everything, and a token for each caller."""

    api: Api
    ids: dict[str, dict[str, str]]
    tokens: dict[str, str | None]

    async def ask(self, operation: Operation, access: Access, caller: str, *, of: str = "acme") -> Answer:
        """The operation on a tenant's thing, by somebody."""
        path = operation.path
        if access.of is not None:
            path = path.replace(f"{{{access.of}_id}}", self.ids[of][access.of])
        path = path.format(**IDS, job_id=self.ids[of]["job"])
        token = self.tokens[caller]
        return await ask(self.api.asgi, operation.method, path, token=token, body=access.body, query=access.query)


@pytest.fixture
async def world(api: Api) -> World:
    """Seeded anew for each test, for some operations change or delete what they are about."""
    await seed_everything(api)
    ids: dict[str, dict[str, str]] = {}
    async with api.hr.database.pool.acquire() as conn:
        for tenant in BOTH:
            found = {
                table: await conn.fetchval(
                    f"select id::text from headrace.{table} as t"
                    " where tenant_id = (select id from headrace.tenant where name = $1) limit 1",
                    tenant,
                )
                for table in get_args(Object)
            }
            ids[tenant] = found
    tokens = {name: None if who is None else await api.token(*who) for name, who in CALLERS.items()}
    return World(api, ids, tokens)


def test_every_route_has_an_entry_and_every_entry_a_route() -> None:
    assert {operation.name for operation in operations()} == set(ACCESS)
    assert len(operations()) == len(ACCESS), "two routes share a name"


READS = [operation for operation in operations() if operation.method == "get"]
CHANGES = [operation for operation in operations() if operation.method != "get"]


async def wrong_decisions(world: World, operation: Operation) -> list[str]:
    """What is decided otherwise than the table says, of one operation by every caller."""
    access = ACCESS[operation.name]
    wrong = []
    for caller, who in CALLERS.items():
        answer = await world.ask(operation, access, caller)
        if access.roles is None:
            expected = "allowed"
        elif who is None:
            expected = "asked for a token"
        else:
            expected = "allowed" if who[0] in access.roles else "refused"
        decided = {401: "asked for a token", 403: "refused"}.get(answer.status, "allowed")
        invalid = decided == "allowed" and access.valid and answer.status in (0, 405, 422)
        broken = answer.status >= 500 and operation.name != "readyz"
        lost = caller == "super_admin" and access.of is not None and answer.status == 404
        if decided != expected or invalid or broken or lost:
            wrong.append(f"{operation.name} by {caller}: {answer.status}, not {expected}: {answer.body[:200]}")
    return wrong


async def test_each_role_may_read_what_the_table_says(world: World) -> None:
    wrong = [problem for operation in READS for problem in await wrong_decisions(world, operation)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("operation", CHANGES, ids=lambda operation: operation.name)
async def test_each_role_may_change_what_the_table_says(world: World, operation: Operation) -> None:
    wrong = await wrong_decisions(world, operation)
    assert not wrong, "\n".join(wrong)


async def test_what_is_anothers_is_not_there(world: World) -> None:
    missing = "00000000-0000-7000-8000-000000000000"
    world.ids["nobody"] = dict.fromkeys(world.ids["globex"], missing)
    for operation in operations():
        access = ACCESS[operation.name]
        for caller in ("tenant_admin", "tenant_viewer"):
            if access.of is None or caller not in (access.roles or ()):
                continue
            foreign = await world.ask(operation, access, caller, of="globex")
            absent = await world.ask(operation, access, caller, of="nobody")
            assert foreign.status == absent.status == 404, (operation.name, caller, foreign, absent)
            assert foreign.body.replace(world.ids["globex"][access.of], missing) == absent.body, operation.name


async def test_without_the_services_own_filter_nothing_leaks(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    confine = service_session._confine

    async def confine_and_forget(*arguments: Any) -> None:
        await confine(*arguments)  # the database knows whose transaction it is; the service does not

    monkeypatch.setattr(service_session, "_confine", confine_and_forget)
    for operation in READS:
        access = ACCESS[operation.name]
        answer = await world.ask(operation, access, "tenant_admin", of="globex" if access.of else "acme")
        leaked = [an_id for an_id in world.ids["globex"].values() if an_id in answer.body and answer.status != 404]
        assert answer.status in (200, 403, 404), (operation.name, answer)
        assert "globex" not in answer.body, operation.name
        assert not leaked, operation.name
