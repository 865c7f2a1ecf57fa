"""The settings of a definition: all that code declares of how its jobs run, and an operator may change."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from headrace.errors import BadRequest
from headrace.model.job.retry import RetryPolicy
from headrace.model.rate import read_rate
from headrace.model.settings.setting import (
    MOST,
    NOT_THE_SYSTEM_QUEUE,
    QUEUE,
    QUEUE_NAMES,
    STORABLE,
    YEAR,
    SettingsModel,
    SettingsRule,
    setting,
)

# As `jobs.max_retries_default` is unless somebody sets it: three retries.
DEFAULT_MAX_ATTEMPTS = 4
PLACE, ATTEMPTS, LIMITS, ABOUT = "Queue and retention", "Attempts", "Limits", "About"
# As `tenant_name_check` has it: the system's tenant may be named too.
TENANT = "^(_headrace|[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99})$"
PATH = r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*"
# A part of JMESPath that PostgreSQL can follow by itself, for jobs are enqueued with SQL alone as well.
CONCURRENCY_KEY = rf"^\[? *{PATH}( *, *{PATH})* *\]?$"


class DefinitionSettings(SettingsModel):
    """What code declares and an operator may change."""

    rules = (
        SettingsRule(
            "per_key_needs_a_key",
            "concurrency_key",
            "A limit for each key needs a concurrency_key.",
            lambda of: of.concurrency_key is not None or (of.max_concurrency_per_key is None and not of.rate_per_key),
        ),
        SettingsRule(
            "burst_needs_a_rate",
            "rate_burst",
            "rate_burst needs a rate_limit.",
            lambda of: of.rate_limit is not None or of.rate_burst is None,
        ),
        SettingsRule(
            "built_in_jobs_have_no_tenants",
            "tenants",
            "A built-in job runs for Headrace itself and has no tenants.",
            lambda _: True,  # the table knows which jobs are built in
        ),
        NOT_THE_SYSTEM_QUEUE,
    )

    queue: str = setting(
        "default",
        pattern=QUEUE,
        group=PLACE,
        label="Queue",
        allowed=QUEUE_NAMES,
        help="The queue in which the jobs wait.",
    )
    priority: int = setting(
        100, ge=0, le=1000, group=PLACE, label="Priority", help="Jobs with a lower number run first."
    )
    max_attempts: int = setting(
        DEFAULT_MAX_ATTEMPTS,
        ge=1,
        le=1000,
        group=ATTEMPTS,
        label="Attempts",
        help="The most attempts of a job; by default of code one more than jobs.max_retries_default.",
    )
    timeout_seconds: float | None = setting(
        None, gt=0, le=YEAR, group=ATTEMPTS, label="Timeout", none="none", help="How long an attempt may take."
    )
    retry_base_seconds: float = setting(
        5.0,
        ge=0,
        le=YEAR,
        group=ATTEMPTS,
        label="First backoff",
        help="The wait before the second attempt; each later wait is twice as long.",
    )
    retry_cap_seconds: float = setting(
        300.0,
        ge=0,
        le=YEAR,
        group=ATTEMPTS,
        label="Longest backoff",
        help="The longest wait between attempts, without the spread.",
    )
    retry_jitter_seconds: float = setting(
        1.0, ge=0, le=YEAR, group=ATTEMPTS, label="Jitter", help="Each wait is longer by a random part of this."
    )
    tenants: tuple[Annotated[str, Field(pattern=TENANT)], ...] | None = setting(
        None,
        strict=False,
        fail_fast=True,
        min_length=1,
        max_length=1000,
        group=LIMITS,
        label="Tenants",
        none="all tenants",
        allowed="1 to 1,000 names of tenants",
        help="The tenants that may run this definition.",
    )
    max_concurrency: int | None = setting(
        None,
        ge=1,
        le=MOST,
        group=LIMITS,
        label="At once",
        none="no limit",
        help="How many jobs run at once, over all workers.",
    )
    concurrency_key: str | None = setting(
        None,
        pattern=CONCURRENCY_KEY,
        max_length=500,
        group=LIMITS,
        label="Key",
        none="none",
        allowed='a path like "provider.id" or "[a, b.c]"',
        help="The part of the payload by which jobs of a tenant are counted, for example provider.id.",
    )
    max_concurrency_per_key: int | None = setting(
        None,
        ge=1,
        le=MOST,
        group=LIMITS,
        label="At once, per key",
        none="no limit",
        needs="concurrency_key",
        help="How many jobs with the same key run at once.",
    )
    rate_limit: int | None = setting(
        None, ge=1, le=MOST, group=LIMITS, label="Starts", none="no limit", help="How many jobs start in each period."
    )
    rate_period_seconds: float = setting(
        1.0, ge=0.001, le=YEAR, group=LIMITS, label="Period", needs="rate_limit", help="The period of the rate limit."
    )
    rate_burst: int | None = setting(
        None,
        ge=1,
        le=MOST,
        group=LIMITS,
        label="Burst",
        none="as many as the limit",
        needs="rate_limit",
        help="How many jobs may start at once after a time without starts.",
    )
    rate_per_key: bool = setting(
        False, group=LIMITS, label="Rate per key", needs="rate_limit", help="Whether each key has a rate of its own."
    )
    retention_days: float | None = setting(
        None,
        ge=0,
        le=3650,
        group=PLACE,
        label="History",
        none="as configured",
        help="The days for which ended jobs stay.",
    )
    retention_count: int | None = setting(
        None,
        ge=1,
        le=MOST,
        group=PLACE,
        label="Always keep",
        none="none",
        help="How many of the last ended jobs always stay.",
    )


class DeclaredSettings(DefinitionSettings):
    """What code declares: also what only code says."""

    description: str = setting(
        "",
        pattern=STORABLE,
        max_length=100_000,
        group=ABOUT,
        label="Description",
        allowed="text of at most 100,000 characters without NUL",
        help="What the job does, for people.",
    )
    tags: tuple[Annotated[str, Field(pattern=STORABLE)], ...] = setting(
        (),
        strict=False,
        fail_fast=True,
        max_length=100,
        group=ABOUT,
        label="Tags",
        allowed="at most 100 texts without NUL",
        help="Words by which people sort definitions.",
    )


class OperatorSettings(DefinitionSettings):
    """What an operator may change: also what only an operator says."""

    enabled: bool = setting(
        True, group=PLACE, label="Enabled", help="Whether new jobs are accepted and waiting jobs run."
    )


def read_options(options: Mapping[str, Any]) -> DeclaredSettings:
    """What `@hr.job(…)` says: names without `_seconds`, a timedelta for a length of time, and three shorthands.

    The shorthands are `retry=RetryPolicy(…)` for three settings, `rate_limit="10/s"` for two, and a `concurrency_key`
    alone: one job of each key runs at a time.
    """
    columns = {name.removesuffix("_seconds"): name for name in DeclaredSettings.model_fields}
    values = dict(options)
    policy = values.pop("retry", None)
    values = {columns.get(name, name): _plain(value) for name, value in values.items()}
    if policy is not None:
        values |= _policy(policy)
    if isinstance(values.get("rate_limit"), str):
        try:
            values["rate_limit"], values["rate_period_seconds"] = read_rate(values["rate_limit"])
        except ValueError as error:
            raise BadRequest(str(error), field="rate_limit") from None
    limits = (values.get(name) for name in ("max_concurrency_per_key", "rate_per_key"))
    if values.get("concurrency_key") is not None and not any(limits):
        values["max_concurrency_per_key"] = 1
    return DeclaredSettings.read(values, names={name: option for option, name in columns.items()})


def _plain(value: Any) -> Any:
    return value.total_seconds() if isinstance(value, timedelta) else value


def _policy(policy: RetryPolicy) -> dict[str, float]:
    waits = {"base": policy.base, "cap": policy.cap, "jitter": policy.jitter}
    return {f"retry_{name}_seconds": wait.total_seconds() for name, wait in waits.items()}
