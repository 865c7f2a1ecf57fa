"""`headrace serve`: where it listens, whom it answers, and its pages as they are printed."""

from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path

import httpx
import pytest
from tests.api.conftest import Api
from tests.api.served import Served
from tests.waiting import PATIENCE
from tests.worker.running import app_on

from headrace import Headrace
from headrace.app.serve.serve import is_loopback, serving
from headrace.app.serve.sign_in_link import admin_token
from headrace.config import ServerSettings
from headrace.errors import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "api.md"


def with_server(hr: Headrace, **server: object) -> Headrace:
    """The application with other settings of its server."""
    hr._settings = hr.settings.model_copy(update={"server": ServerSettings.model_construct(**server)})  # type: ignore[arg-type]
    return hr


async def test_an_address_that_others_reach_is_refused_without_a_token(database_url: str) -> None:
    async with with_server(app_on(database_url), host="0.0.0.0", port=0, allowed_hosts=(), tls_certificate=None) as hr:  # noqa: S104
        with pytest.raises(ConfigError, match="there is no token yet"):
            async with serving(hr):
                pass


@pytest.mark.parametrize(
    ("server", "warned"),
    [
        ({}, True),
        ({"public_url": "http://jobs.example.com"}, True),
        ({"public_url": "https://jobs.example.com"}, False),
        ({"tls_certificate": Path("server.crt")}, False),
    ],
)
async def test_an_address_that_others_reach_without_tls_is_warned_of(
    api: Api, caplog: pytest.LogCaptureFixture, server: dict[str, object], warned: bool
) -> None:
    await api.token("super_admin")
    # No machine has this address, so nothing listens.
    hr = with_server(api.hr, **{"host": "192.0.2.1", "port": 8720, **server})

    with pytest.raises(ConfigError, match="cannot listen"):
        async with serving(hr):
            pass

    said = [record.getMessage() for record in caplog.records if "without TLS" in record.getMessage()]
    assert len(said) == warned
    assert all("set server.tls_certificate and server.tls_key, or put a proxy" in text for text in said)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("example.org", False)],  # noqa: S104
)
def test_what_only_this_machine_reaches_is_known(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


async def test_a_port_that_is_taken_is_a_clear_error(api: Api, served: Served) -> None:
    port = int(served.url.rsplit(":", 1)[1])
    hr = with_server(api.hr, host="127.0.0.1", port=port, allowed_hosts=(), tls_certificate=None)

    with pytest.raises(ConfigError, match=f"cannot listen on 127.0.0.1:{port}"):
        async with serving(hr):
            pass


async def test_a_request_that_calls_it_by_another_name_is_refused(served: Served) -> None:
    async with served.client() as client:
        rebound = await client.get("/api/v1/jobs", headers={"Host": "evil.example"})
        good = await client.get("/api/v1/jobs", headers={"Host": "localhost:8720"})

    assert (rebound.status_code, rebound.json()["code"]) == (421, "unknown_host")
    assert good.status_code == 200


async def test_the_first_token_is_kept_for_its_owner_alone_and_used_again(api: Api, tmp_path: Path) -> None:
    api.hr._settings = api.hr.settings.model_copy(update={"data_dir": tmp_path / "data"})

    first = await admin_token(api.hr)
    again = await admin_token(api.hr)
    await api.execute("update headrace.token set revoked_at = now()")
    other = await admin_token(api.hr)

    assert first == again != other
    assert stat.S_IMODE((tmp_path / "data" / "admin-token").stat().st_mode) == 0o600
    async with api.with_token(other) as client:
        assert (await client.get("/api/v1/admin/tokens")).status_code == 200


async def test_the_examples_with_curl_work_as_they_are_printed(api: Api, served: Served, tmp_path: Path) -> None:
    scripts = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(scripts) >= 3
    (tmp_path / ".headrace").mkdir()
    (tmp_path / ".headrace" / "admin-token").write_text(await api.token("super_admin"))
    await api.execute("update headrace.definition set key = 'say_hello' where key = 'greet'")
    script = (
        "".join(scripts).replace("http://127.0.0.1:8720", served.url).replace("curl -s ", "curl -sS --fail-with-body ")
    )

    shell = await asyncio.create_subprocess_exec(
        *("/bin/bash", "-euc", script),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await asyncio.wait_for(shell.communicate(), PATIENCE)

    assert shell.returncode == 0, out.decode()
    for said in ('"status":"queued"', '"name":"initech"', '"token":"hr_', '"matching":0'):
        assert said in out.decode(), out.decode()


async def test_mounted_in_a_host_it_knows_the_hosts_user(database_url: str) -> None:
    from fastapi import FastAPI, Request

    from headrace import Principal

    hr = app_on(database_url, enabled=False)

    @hr.job("work")
    async def work() -> None:
        """Nothing."""

    def who(request: Request) -> Principal | None:
        user = request.headers.get("X-User")
        return Principal(user, "tenant_admin", tenant="default") if user else None

    host = FastAPI(lifespan=hr.lifespan)
    host.mount("/queue", hr.asgi(identify=who))
    async with host.router.lifespan_context(host):
        transport = httpx.ASGITransport(host)
        async with httpx.AsyncClient(transport=transport, base_url="http://host") as client:
            made = await client.post("/queue/api/v1/jobs", json={"definition": "work"}, headers={"X-User": "ann"})
            nobody = await client.get("/queue/api/v1/jobs")

    assert (made.status_code, made.json()["created_by"], nobody.status_code) == (201, "ann", 401)
    assert not hr.workers


async def test_in_a_hosts_lifespan_jobs_run_unless_they_are_off(database_url: str) -> None:
    hr = app_on(database_url, enabled=True)

    @hr.job("work")
    async def work() -> str:
        return "done"

    async with hr.lifespan():
        job = await hr.wait(await hr.enqueue("work"), timeout=PATIENCE)
    assert job.result == "done"
