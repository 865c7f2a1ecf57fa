"""Serving the control plane: the API on a socket, with the scheduler and maintenance beside it."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from headrace.api.body.unread import EndUnread
from headrace.api.hosts import AllowedHosts
from headrace.config import ServerSettings
from headrace.db.listen import Listener
from headrace.errors import ConfigError
from headrace.log import get_logger
from headrace.service import Service
from headrace.service.tenants.role import require_tenant_role
from headrace.service.tokens.service import Tokens
from headrace.worker.maintenance.loop import running
from headrace.worker.maintenance.maintenance import Maintenance
from headrace.worker.process.database_worker import WorkerProcess, retention_of
from headrace.worker.process.patience import patiently

if TYPE_CHECKING:
    import uvicorn

    from headrace.app.headrace import Headrace

log = get_logger("headrace.serve")
STOP_WITHIN = 10


@asynccontextmanager
async def serving(hr: Headrace, app: Any = None, *, any_port: bool = False) -> AsyncIterator[str]:
    """The API of an open application on its address, which is given; until the block ends.

    With `any_port` a port that nobody asked for and that is taken is not insisted on.
    """
    settings = hr.settings.server
    await patiently("check the tokens", lambda: _check_doors(hr))
    _warn_of_plain_text(settings)
    sock = _bind(settings, any_port=any_port)
    # A server of our own knows its names; an application that is mounted leaves that to its host.
    named = AllowedHosts(app or hr.asgi(), hosts=(settings.host, *settings.allowed_hosts))
    server = _server(EndUnread(named), settings)
    task = asyncio.create_task(server.serve(sockets=[sock]), name="headrace api")
    try:
        yield address(settings, sock)
    finally:
        server.should_exit = True
        await asyncio.gather(task, return_exceptions=True)
        sock.close()


@asynccontextmanager
async def upkeep(hr: Headrace) -> AsyncIterator[None]:
    """The scheduler and maintenance of an open application without a worker, beside the block."""

    def notified(payload: str) -> None:
        if payload in ("due", "triggers", "events"):
            maintenance.notified(payload)
        elif not payload:
            maintenance.notified("anything")

    endpoint = hr.database.endpoint
    listener = Listener(endpoint, {"headrace": notified})
    maintenance = Maintenance(
        endpoint,
        listening=listener.listening.is_set,
        scheduler=hr.settings.jobs.scheduler_enabled,
        longest_sleep=hr.settings.jobs.scheduler_tick_s,
        retention=retention_of(hr.settings),
        embedded=hr.database.embedded,
    )
    listener.start()
    try:
        async with running([*maintenance.reviving, *maintenance.loops]):
            yield
    finally:
        await listener.stop()
        await maintenance.close()


@asynccontextmanager
async def lifespan(hr: Headrace) -> AsyncIterator[None]:
    """An application open in a host's lifespan; with a worker and a scheduler unless `jobs.enabled` is off."""
    async with hr:
        if not hr.settings.jobs.enabled:
            yield
            return
        process = WorkerProcess(hr)
        running = asyncio.create_task(process.run(), name="headrace worker")
        try:
            yield
        finally:
            process.stop()
            await running


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _check_doors(hr: Headrace) -> None:
    await require_tenant_role(hr.database)
    await _refuse_open_doors(hr, hr.settings.server)


async def _refuse_open_doors(hr: Headrace, settings: ServerSettings) -> None:
    if is_loopback(settings.host):
        return
    if not await Tokens(hr, Service(hr).principal).any_good():
        raise ConfigError(
            f"server.host = {settings.host!r} can be reached from outside, and there is no token yet. "
            "Make one first: headrace tokens create admin --role super_admin"
        )


def _warn_of_plain_text(settings: ServerSettings) -> None:
    if is_loopback(settings.host) or settings.is_https:
        return
    log.warning(
        f"server.host = {settings.host!r} can be reached from outside without TLS, so that tokens and payloads can be "
        "read on the way: set server.tls_certificate and server.tls_key, or put a proxy with TLS before the server and "
        "set server.public_url to its https address"
    )


def _bind(settings: ServerSettings, *, any_port: bool) -> socket.socket:
    try:
        return _listen(settings.host, settings.port)
    except OSError as error:
        if any_port and error.errno == errno.EADDRINUSE and "port" not in settings.model_fields_set:
            return _listen(settings.host, 0)
        raise ConfigError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror}. Choose another with server.port."
        ) from error


def _listen(host: str, port: int) -> socket.socket:
    family, kind, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    sock = socket.socket(family, kind)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(1024)  # now: two that are only bound do not see each other
    except OSError:
        sock.close()
        raise
    return sock


def address(settings: ServerSettings, sock: socket.socket | None = None) -> str:
    """Where it is reached: as it is bound, or as the settings have it."""
    host, port = (settings.host, settings.port) if sock is None else sock.getsockname()[:2]
    scheme = "https" if settings.tls_certificate else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _server(app: Any, settings: ServerSettings) -> uvicorn.Server:
    import uvicorn

    from headrace.app.serve.connection import Connection, most_connections
    from headrace.app.serve.places import Places

    class Server(uvicorn.Server):
        """One whose process sees to signals itself."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    config = uvicorn.Config(
        app,
        http=partial(Connection, places=Places(most_connections(settings.max_connections))),  # type: ignore[arg-type] # it is called
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=STOP_WITHIN,
        timeout_keep_alive=75,
        ssl_certfile=settings.tls_certificate,
        ssl_keyfile=settings.tls_key,
    )
    return Server(config)
