"""What can be asked of a job as keyword arguments: written from the model, for a TypedDict must be text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import AwareDatetime

from headrace.model.job.request import JobRequest

ENQUEUE_OPTIONS = Path(__file__).parents[1] / "src" / "headrace" / "model" / "job" / "enqueue_options.py"
HEAD = '''\
"""What can be asked of a job, as keyword arguments. `make docs` writes this from `JobRequest`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, TypedDict


class CommonOptions(TypedDict, total=False):
    """What one request can ask of one job and of many."""

    tenant: str
    """The tenant of the job."""
    connection: Any
    """Your own connection: the job is part of its transaction."""
'''
# Of these each job has its own.
OWN = ("dedupe_key", "idempotency_key")


def enqueue_options() -> str:
    """The whole of the file."""
    hints = get_type_hints(JobRequest, include_extras=True)
    told = {name: hint for name, hint in hints.items() if name not in ("definition", "payload", "__pydantic_config__")}
    common = "".join(_option(name, hint) for name, hint in told.items() if name not in OWN)
    one = "".join(_option(name, told[name]) for name in OWN)
    many = "".join(
        f'    {name}s: Sequence[str | None] | None\n    """A key, or None, for each payload. {_help(told[name])}"""\n'
        for name in OWN
    )
    return "".join(
        (
            HEAD,
            common,
            _head("EnqueueOptions", "What can be asked of one job."),
            one,
            _head("EnqueueManyOptions", "What can be asked of many jobs."),
            many,
        )
    )


def _head(name: str, about: str) -> str:
    return f'\n\nclass {name}(CommonOptions, total=False):\n    """{about}"""\n\n'


def _option(name: str, hint: Any) -> str:
    """In code a length of time has its own type, and the name no unit."""
    kind = _text(get_args(hint)[0])
    if name.endswith("_seconds"):
        name, kind = name.removesuffix("_seconds"), f"timedelta | {kind}"
    return f'    {name}: {kind}\n    """{_help(hint)}"""\n'


def _help(hint: Any) -> str:
    return str(get_args(hint)[1].description)


def _text(hint: Any) -> str:
    if get_origin(hint) is Literal:
        values = ", ".join(f'"{value}"' for value in get_args(hint))
        return f"Literal[{values}]"
    if hint is NoneType:
        return "None"
    if hint is AwareDatetime:
        return "datetime"
    if isinstance(hint, type):
        return hint.__name__
    return " | ".join(_text(part) for part in _parts(hint))


def _parts(hint: Any) -> Iterable[Any]:
    """Of a union all, of an annotated type the type alone."""
    return get_args(hint)[:1] if hasattr(hint, "__metadata__") else get_args(hint)
