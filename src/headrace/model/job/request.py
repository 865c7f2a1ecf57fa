"""A request to enqueue a job: what can be asked of a job stands here once, with its range and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, model_validator

from headrace.errors import BadRequest
from headrace.model.time.timestamps import LONGEST_AHEAD, Moment
from headrace.model.unknown_fields import refuse_many_unknown

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$"
TEXT = r"^[^\x00]*$"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRequest:
    """A job to enqueue.

    The API and the command line hold what they are sent against the ranges; the database has them as well.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    definition: Annotated[
        str,
        Field(pattern=NAME, max_length=200, description="The definition that the job runs.", examples=["sync-dropbox"]),
    ]
    payload: Annotated[
        Mapping[str, Any], Field(description="The arguments of the job.", examples=[{"path_prefix": "/reports"}])
    ] = field(default_factory=dict)
    queue: Annotated[
        str | None,
        Field(pattern=NAME, max_length=100, description="The queue of the job; by default the definition's."),
    ] = None
    priority: Annotated[int | None, Field(ge=0, le=1000, description="Jobs with a lower number run first.")] = None
    delay_seconds: Annotated[
        float | None, Field(ge=0, le=LONGEST_AHEAD, description="The delay before the earliest start of the job.")
    ] = None
    scheduled_for: Annotated[Moment | None, Field(description="The earliest start of the job.")] = None
    dedupe_key: Annotated[
        str | None,
        Field(
            pattern=TEXT,
            min_length=1,
            max_length=500,
            description="A key that one live job of the tenant has at a time.",
        ),
    ] = None
    dedupe_while: Annotated[
        Literal["live", "waiting"],
        # Generated clients would have to send what has a default.
        Field(
            json_schema_extra=lambda schema: schema.pop("default", None),
            description="How long a job has its dedupe key: until the job has ended, or until the job is claimed.",
        ),
    ] = "live"
    idempotency_key: Annotated[
        str | None,
        Field(
            pattern=TEXT,
            min_length=1,
            max_length=500,
            description="A repeated request with this key returns the same job while history is kept.",
        ),
    ] = None
    correlation_id: Annotated[
        str | None, Field(pattern=TEXT, max_length=500, description="An id that related jobs share.")
    ] = None
    max_attempts: Annotated[
        int | None, Field(ge=1, le=1000, description="The most attempts; by default the definition's.")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, given: Any) -> Any:
        return refuse_many_unknown(given, cls.__dataclass_fields__)

    def __post_init__(self) -> None:
        if self.delay_seconds is not None and self.scheduled_for is not None:
            raise BadRequest("A job has a delay or a time, not both.", field="delay_seconds")
