"""Shapes of what a worker says when it registers."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints

from headrace.api.routes.worker.schemas import WorkerId
from headrace.api.schemas import Name, RequestModel, Text
from headrace.model.definition import Definition
from headrace.model.field_context import field_context
from headrace.model.settings.definition import DeclaredSettings
from headrace.model.trigger.declaration import TriggerDeclaration
from headrace.queue.lease import WorkerIdentity
from headrace.service.worker_protocol.registration import Declared, Registration

QueueName = Annotated[str, StringConstraints(pattern=r"^(\*|[A-Za-z0-9][A-Za-z0-9_.:-]*)$", max_length=100)]


class DeclaredTrigger(RequestModel):
    """A trigger in code, with the settings that code declares."""

    name: Text = Field(min_length=1, max_length=200)
    settings: dict[str, Any] = Field(default={}, description="settings by the names of the trigger's columns")


class DeclaredIdentity(RequestModel):
    """What a definition in code is, beside its settings."""

    key: Name
    kind: Literal["python", "command"] = Field(default="python", description="the kind; python is code in any language")
    payload_schema: dict[str, Any] = Field(default={}, description="JSON Schema of the payload")
    triggers: list[DeclaredTrigger] = Field(fail_fast=True, default=[], max_length=100)


class NewDefinition(DeclaredSettings, DeclaredIdentity):
    """A definition in code: its arguments and settings. An operator's changes stay."""

    model_config = ConfigDict(defer_build=False)

    def definition(self, default_attempts: int) -> Definition:
        """As the code of a worker has it."""
        triggers = tuple(TriggerDeclaration(trigger.name, trigger.settings) for trigger in self.triggers)
        with field_context("definitions"):
            declared = Definition(self.key, DeclaredSettings.of(self), self.kind, self.payload_schema, triggers)
        return declared.with_attempts(default_attempts)


class NewDeclared(RequestModel):
    """The declarations of one app."""

    app: Text = Field(min_length=1, max_length=200)
    complete: bool = Field(
        default=False, description="whether definitions that are missing here were deleted from code"
    )
    definitions: list[NewDefinition] = Field(fail_fast=True, max_length=2000)

    def read(self, default_attempts: int) -> Declared:
        """As the service takes it."""
        return Declared(self.app, [one.definition(default_attempts) for one in self.definitions], self.complete)


class RegistrationRequest(RequestModel):
    """The registration of a worker."""

    name: Text = Field(min_length=1, max_length=200, description="for people", examples=["build-7:4711"])
    hostname: Text = Field(default="", max_length=300)
    pid: int = Field(default=0, ge=0, lt=2**31)
    version: Text = Field(default="", max_length=100)
    queues: list[QueueName] = Field(
        fail_fast=True,
        default=["*"],
        min_length=1,
        max_length=1000,
        description="queues to serve, within those of the token; * is all of them",
    )
    definitions: list[Name] = Field(
        fail_fast=True, max_length=10_000, description="keys that the worker can run", examples=[["sync-dropbox"]]
    )
    concurrency: int = Field(default=1, ge=1, le=100_000)
    lease_seconds: float = Field(
        default=60, ge=1, le=3600, description="the lease: a worker that is silent for longer is lost"
    )
    declared: list[NewDeclared] = Field(
        fail_fast=True, default=[], max_length=10, description="the declarations of the worker's code, if any"
    )
    worker_id: WorkerId | None = Field(
        default=None, description="the id of a registered worker, to change its definitions"
    )

    def read(self, default_attempts: int) -> Registration:
        """As the service takes it."""
        declared = [one.read(default_attempts) for one in self.declared]
        worker = WorkerIdentity(
            self.name,
            self.hostname,
            self.pid,
            self.version,
            tuple(self.queues),
            tuple(self.definitions),
            self.concurrency,
            timedelta(seconds=self.lease_seconds),
            schemas={one.key: one.schema_version for each in declared for one in each.definitions},
        )
        return Registration(worker=worker, worker_id=self.worker_id, declared=declared)
