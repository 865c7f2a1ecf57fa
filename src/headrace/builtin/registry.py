"""The built-in jobs: what each is called, the function behind it, and when it runs by default."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from types import MethodType
from typing import Any, NamedTuple

from headrace.builtin.clean_up import clean_up_sessions, clean_up_tokens, prune_deliveries
from headrace.builtin.deliver_alert import deliver_alert
from headrace.builtin.maintain_partitions import maintain_partitions
from headrace.builtin.prune_jobs import prune_history
from headrace.builtin.prune_logs import prune_lines
from headrace.builtin.prune_rows import prune_rows
from headrace.builtin.workplace import Workplace
from headrace.config import Settings
from headrace.define.handler import Handler
from headrace.errors import ConfigError, NotFound
from headrace.model.system import SYSTEM_PREFIX, SYSTEM_QUEUE
from headrace.model.time.cron import CronRule
from headrace.model.time.cron_fields import CronError

# Before the jobs of applications, which may be waiting by the million.
PRIORITY = 10
TIMEOUT = timedelta(hours=1)


class Builtin(NamedTuple):
    """A job that ships with Headrace. Its function takes a `Workplace`, then what a payload may say."""

    name: str
    function: Callable[..., Awaitable[Any]]
    cron: str | None = None
    max_attempts: int = 3
    # Jobs with the same value of this field run one at a time.
    concurrency_key: str | None = None

    @property
    def key(self) -> str:
        """That of its definition."""
        return SYSTEM_PREFIX + self.name

    def handler(self, place: Workplace) -> Handler:
        """The function as a worker calls it: its first argument is given here, the others are the payload."""
        return Handler(
            MethodType(self.function, place),
            key=self.key,
            queue=SYSTEM_QUEUE,
            priority=PRIORITY,
            max_attempts=self.max_attempts,
            timeout=TIMEOUT,
            concurrency_key=self.concurrency_key,
            system=True,
        )


class DefaultSchedule(NamedTuple):
    """A default schedule, made when the built-in jobs first start, and never again."""

    name: str
    definition: str
    cron: str
    payload: dict[str, Any]


BUILTINS = (
    Builtin("prune_jobs", prune_history, cron="17 * * * *"),
    Builtin("prune_logs", prune_lines, cron="27 * * * *"),
    Builtin("maintain_partitions", maintain_partitions, cron="7 * * * *"),
    Builtin("expired_session_cleanup", clean_up_sessions, cron="37 * * * *"),
    Builtin("expired_token_cleanup", clean_up_tokens, cron="47 4 * * *"),
    Builtin("webhook_delivery_prune", prune_deliveries, cron="47 3 * * *"),
    Builtin("prune_rows", prune_rows),
    # A tenant chooses where its notices go, and such a server may be slow.
    Builtin("deliver_alert", deliver_alert, max_attempts=12, concurrency_key="tenant"),
)


def handlers(place: Workplace) -> dict[str, Handler]:
    """Every built-in job, by key, as a worker of this process runs it."""
    return {one.key: one.handler(place) for one in BUILTINS}


def default_schedules(settings: Settings) -> list[DefaultSchedule]:
    """Those of jobs that run by themselves, and of each rule for the application's own tables."""
    own = [DefaultSchedule(one.key, one.key, one.cron, {}) for one in BUILTINS if one.cron is not None]
    key = find_builtin("prune_rows").key
    return own + [
        DefaultSchedule(f"{key}:{name}", key, _checked(name, rule.cron), {"name": name})
        for name, rule in settings.builtin.rules().items()
    ]


def _checked(name: str, cron: str) -> str:
    try:
        CronRule.parse(cron)
    except CronError as error:
        raise ConfigError(f"builtin.prune_rows.{name}.cron = {cron!r}: {error}") from None
    return cron


def find_builtin(name: str) -> Builtin:
    """By its name, with or without `headrace.`; or `NotFound`."""
    wanted = name.removeprefix(SYSTEM_PREFIX)
    found = next((one for one in BUILTINS if one.name == wanted), None)
    if found is None:
        raise NotFound(f"unknown built-in job {name!r}; known jobs: {', '.join(one.name for one in BUILTINS)}")
    return found
