"""`Headrace`: one object for an application's jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload
from uuid import UUID

from headrace.app.blocking import BlockingClient
from headrace.app.client import Client
from headrace.app.control import Control
from headrace.app.declare import JobOptions, make_handler
from headrace.app.job_function import JobFunction
from headrace.app.name import name_of
from headrace.app.open_here import OpenHere
from headrace.app.register import RuntimeJobs
from headrace.app.registry import Registry
from headrace.builtin.call import Builtins
from headrace.config import Settings, load_settings, settings_file
from headrace.db.database import Database
from headrace.define.handler import Handler
from headrace.define.sync import SyncReport
from headrace.errors import HeadraceError
from headrace.model.secret.encrypted_arguments import encrypted_fields
from headrace.model.secret.encryption import SecretBox
from headrace.model.secret.schema import SecretSchema
from headrace.model.settings.options import DefinitionOptions
from headrace.model.trigger.overlap import Overlap
from headrace.worker.process.database_worker import WorkerProcess, run_worker

P = ParamSpec("P")
R = TypeVar("R")


class Headrace(Client):
    """Declares jobs, enqueues them and runs workers. Configured by file and environment, embedded by default."""

    def __init__(
        self,
        database_url: str | None = None,
        data_dir: Path | str | None = None,
        *,
        app: str | None = None,
        config: Path | str | None = None,
    ) -> None:
        self._overrides: dict[str, Any] = {"database.url": database_url, "data_dir": data_dir, "app": app}
        self._named = app
        self._config = None if config is None else Path(config)
        self._settings: Settings | None = None
        self._box: SecretBox | None = None
        super().__init__(Registry(self.secret_box, self._secrets_of_command, self._default_attempts), OpenHere())
        self.blocking = BlockingClient(self.registry, self._open_told)
        self.control = Control(self)
        self.builtin = Builtins(self)
        self._runtime = RuntimeJobs(self)
        self.workers: set[WorkerProcess] = set()
        self._served: list[Callable[[], Awaitable[None]]] = []

    @property
    def settings(self) -> Settings:
        """File, environment and arguments, read when first needed."""
        if self._settings is None:
            self._settings = load_settings(flags=self._overrides, file=self._config)
        return self._settings

    @property
    def settings_file(self) -> Path | None:
        """The file of the settings, if there is one."""
        return settings_file(self._config)

    @property
    def app(self) -> str:
        """Whose the definitions are: as named here or in the settings, or as the project of the first job is called."""
        return self.app_of(None)

    def app_of(self, function: Callable[..., Any] | None) -> str:
        """The same for a function that is registered at run time, where code declares no job."""
        return self._named or self.settings.app or name_of(self.registry.first_function() or function)

    def secret_box(self) -> SecretBox:
        """The keys for secret fields."""
        if self._box is None:
            self._box = SecretBox.read(self.settings.secret_key)
        return self._box

    def _default_attempts(self) -> int:
        return self.settings.jobs.default_attempts

    def _secrets_of_command(self, key: str) -> tuple[str, ...]:
        command = self.settings.commands.get(key)
        return () if command is None else encrypted_fields(SecretSchema(command.args))

    def read_settings(self) -> Settings:
        """Settings as file and environment have them now."""
        return load_settings(flags=self._overrides, file=self._config)

    def configure(self, flags: Mapping[str, Any]) -> None:
        """Settings from a command line, such as `{"jobs.worker_concurrency": 8}`: they win over all others."""
        self._overrides |= {key: value for key, value in flags.items() if value is not None}
        self._settings = self._box = None

    # -- declare

    @overload
    def job(self, key: Callable[P, R], /) -> JobFunction[P, R]: ...

    @overload
    def job(
        self, key: str | None = None, **options: Unpack[JobOptions]
    ) -> Callable[[Callable[P, R]], JobFunction[P, R]]: ...

    def job(self, key: Any = None, **options: Unpack[JobOptions]) -> Any:
        """Declare the function below as a job. Its parameters are the payload's schema, its name is the key."""

        def declare(function: Callable[P, R]) -> JobFunction[P, R]:
            handler = make_handler(function, key if isinstance(key, str) else None, options)
            self.registry.add(handler)
            return JobFunction(self, handler, function)

        # `@hr.job` without brackets hands the function over as the key.
        return declare(key) if callable(key) else declare

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """What was declared, by key."""
        return self.registry.handlers

    async def sync_definitions(self, *, force: bool = False, complete: bool = True) -> SyncReport:
        """Tell the database what the code declares. A process without jobs of its own knows of none that left."""
        complete = complete and bool(self.handlers)
        return await self.registry.sync(self.database, app=self.app, force=force, complete=complete)

    # -- open and close

    async def __aenter__(self) -> Self:
        if self._here.is_open:
            raise HeadraceError("this Headrace is already open")
        if self._here.leave_to_parent(self.workers, self._served):
            self.workers, self._served = set(), []
        self._here.open(await self._open_told())
        return self

    async def __aexit__(self, *_: object) -> None:
        for stop in self._served:
            await stop()
        await self._here.close()

    async def open_database(self) -> Database:
        """A database of its own, checked and migrated."""
        where = self.settings.database
        return await Database.open(
            url=where.url, data_dir=self.settings.data_dir, pool_size=where.pool_size, pooler=where.pooler
        )

    async def _open_told(self) -> Database:
        """A database of its own, which was told what the code declares."""
        database = await self.open_database()
        try:
            if database.standing.declares:
                await self.registry.sync(database, app=self.app)
        except BaseException:
            await database.close()
            raise
        return database

    @property
    def database(self) -> Database:
        return self._here.database

    # -- use

    async def register(
        self,
        function: Callable[..., Any],
        *,
        key: str,
        every: float | timedelta,
        tenant: str = "default",
        starts_at: datetime | None = None,
        payload: Mapping[str, Any] | None = None,
        overlap: Overlap = "skip",
        **options: Unpack[DefinitionOptions],
    ) -> UUID:
        """Repeat a function from now on, or from `starts_at`; gives back the trigger's id.

        However many processes register the same key for a tenant, each time runs once, in one of them.
        """
        settings: dict[str, Any] = {"overlap": overlap, "payload": dict(payload or {})}
        return await self._runtime.register(
            function, key=key, tenant=tenant, every=every, starts_at=starts_at, settings=settings, options=options
        )

    async def unregister(self, key: str, *, tenant: str = "default") -> None:
        """Repeat it no more; what is already enqueued still runs."""
        await self._runtime.unregister(key, tenant=tenant)

    def asgi(self, *, identify: Any = None) -> Any:
        """The control plane and its dashboard as an ASGI application, to serve or to mount while this is open.

        `identify(request)` maps the host's user to a `Principal`, or None to ask for a token.
        """
        from headrace.api.app import create_app  # a web framework is loaded by who wants one
        from headrace.web import Site

        app = create_app(self, identify=identify)
        self._served.append(app.stop)
        return Site(app, https=lambda: self.settings.server.is_https)

    @asynccontextmanager
    async def lifespan(self, _app: Any = None) -> AsyncIterator[None]:
        """For a host's lifespan: `FastAPI(lifespan=hr.lifespan)`. With a worker unless `jobs.enabled` is off."""
        from headrace.app.serve.serve import lifespan

        async with lifespan(self):
            yield

    async def run_worker(self, *, concurrency: int | None = None, queues: Iterable[str] | None = None) -> None:
        """Run a worker with maintenance until it is cancelled."""
        await run_worker(self, concurrency=concurrency, queues=tuple(queues) if queues else None)
