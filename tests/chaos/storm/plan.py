"""Which faults there are, and when each strikes whom: worked out from a seed alone."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from typing import NamedTuple

# How often each is chosen. Crashes of the database stop everything else, and a killed process costs a start.
CHEAP: dict[str, float] = {
    "lost-statement": 9,
    "lost-reply": 12,
    "half-open": 3,
    "refused-statement": 12,
    "ended-session": 8,
    "renamed-table": 3,
    "locked-table": 3,
    "lost-request": 7,
    "lost-answer": 9,
    "refused-request": 5,
    "clock-jump": 6,
    "kill-child": 5,
    "poison-child": 3,
    "bad-outcome": 3,
}
COSTLY = {"kill-worker": 4.0, "kill-server": 1.5, "freeze-worker": 3.0, "freeze-server": 1.0, "poison": 2.0}
HEAVY = {"crash-database": 0.5, "crash-embedded": 0.4, "freeze-database": 0.5}
KINDS = {**CHEAP, **COSTLY, **HEAVY}

# Whom a fault may strike. Those with a proxy of their own before PostgreSQL, those that speak HTTP, and so on.
BEHIND_PROXY = ("w0", "w1", "server", "producer")
OVER_HTTP = ("http",)
WORKERS = ("w0", "w1", "embedded", "h0")
TARGETS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("lost-statement", "lost-reply", "half-open", "refused-statement"), BEHIND_PROXY),
    **dict.fromkeys(("lost-request", "lost-answer", "refused-request"), OVER_HTTP),
    **dict.fromkeys(("kill-worker", "freeze-worker", "kill-child"), WORKERS),
    **dict.fromkeys(("kill-server", "freeze-server"), ("server",)),
    "clock-jump": (*WORKERS, "server"),
    "renamed-table": ("attempt", "queue", "job", "worker", "fire", "event_inbox"),
    "locked-table": ("attempt", "queue", "job", "worker", "trigger"),
}
# Which statements a proxy lies in wait for.
AIMS = ("any", "claim", "finish", "heartbeat", "fire")
AIMED = ("lost-statement", "lost-reply", "half-open", "refused-statement")


class Injection(NamedTuple):
    """One fault: when (seconds from the start), what, at whom, on which statement, and a number from 0 to 1."""

    at: float
    kind: str
    target: str
    aim: str
    chance: float


def plan(seed: int, seconds: float, *, a_second: float, without: Collection[str] = ()) -> list[Injection]:
    """Every kind that is wanted at least twice, the heavy ones once; the rest by weight, evenly over the time."""
    if unknown := set(without) - set(KINDS):
        raise ValueError(f"no such fault: {', '.join(sorted(unknown))}. There are: {', '.join(KINDS)}")
    chance = random.Random(seed)  # noqa: S311 - no secret
    wanted = {kind: weight for kind, weight in KINDS.items() if kind not in without}
    chosen = [kind for kind in wanted for _ in range(1 if kind in HEAVY else 2)]
    more = round(seconds * a_second) - len(chosen)
    chosen += chance.choices(list(wanted), list(wanted.values()), k=max(0, more)) if wanted else []
    chance.shuffle(chosen)
    step = seconds / max(1, len(chosen))
    return [_injection(kind, (n + chance.random()) * step, chance) for n, kind in enumerate(chosen)]


def _injection(kind: str, at: float, chance: random.Random) -> Injection:
    target = chance.choice(TARGETS.get(kind, ("",)))
    aim = chance.choice(AIMS if target != "producer" else AIMS[:1]) if kind in AIMED else ""
    return Injection(at, kind, target, aim, chance.random())
