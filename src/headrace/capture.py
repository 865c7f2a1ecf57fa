"""What handlers print and log becomes lines of their job, whichever of a hundred runs says it.

One handler of the root logger and one wrapper of each standard stream, put in place once, that look at a context
variable: it follows coroutines, tasks and `asyncio.to_thread`, and our own thread pools.
"""

from __future__ import annotations

import contextvars
import io
import logging
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from headrace.context import Context
from headrace.log import TAKEN, add_context_provider
from headrace.model.log.line import LOG, STDERR, STDOUT
from headrace.model.log.run_log import RunLog
from headrace.model.secret.masking import Masker

current: contextvars.ContextVar[Context | None] = contextvars.ContextVar("headrace_context", default=None)

LONGEST_UNFINISHED = 65_536


def current_lines() -> RunLog | None:
    """Where the lines of the run go within which this is called, if it is one and has not ended."""
    context = current.get()
    lines = None if context is None else context.lines()
    return None if lines is None or lines.is_closed else lines


def without_secrets(text: str) -> str:
    """The text as the worker's own log may have it: without what is secret of the run that says it."""
    context = current.get()
    lines = None if context is None else context.run_log
    return text if lines is None else lines.masker.mask_text(text)


def _about_run() -> dict[str, Any]:
    """Whose line it is, for the log of the process."""
    context = current.get()
    return {} if context is None else context.about()


add_context_provider(_about_run)


class JobLogHandler(logging.Handler):
    """Files what `logging` says during a run under that run."""

    def emit(self, record: logging.LogRecord) -> None:
        run = current_lines()
        if run is None:
            self._as_if_not_here(record)
        elif not getattr(record, TAKEN, False):
            text, fields = _parts(record)
            if record.exc_info:
                text = f"{text}\n{_formatter.formatException(record.exc_info)}"
            elif record.exc_text:  # of one that was masked
                text = f"{text}\n{record.exc_text}"
            run.write(text, level=record.levelno, stream=LOG, fields=fields)

    def _as_if_not_here(self, record: logging.LogRecord) -> None:
        """Where nobody set up logging, warnings go to stderr; a handler that is there for jobs must not change that."""
        last = logging.lastResort
        if last is not None and logging.getLogger().handlers == [self] and record.levelno >= last.level:
            last.handle(record)


class MaskedRecords:
    """Makes log records without what is secret of the run that says them, for any handler that sees them."""

    def __init__(self, make: Callable[..., logging.LogRecord]) -> None:
        self.make = make

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = self.make(*args, **kwargs)
        context = current.get()
        lines = None if context is None else context.lines()
        if lines is not None and lines.masker:
            _mask_record(record, lines.masker)
        return record


class CapturedStream(io.TextIOBase):
    """A standard stream that files whole lines under the run that wrote them."""

    def __init__(self, original: TextIO, stream: int) -> None:
        self.original = original
        self._stream = stream
        self._level = logging.INFO
        # `print('a', 'b')` is four writes, and a context may write from several threads.
        self._begun: dict[tuple[int, int], io.StringIO] = {}

    def write(self, text: str) -> int:
        run = current_lines()
        if run is None or not isinstance(text, str):
            return self.original.write(text)  # which refuses what is no text
        key = (id(run), threading.get_ident())
        begun = self._begun.setdefault(key, io.StringIO())
        begun.write(text)
        if "\n" in text or begun.tell() > LONGEST_UNFINISHED:
            *lines, rest = begun.getvalue().split("\n")
            for line in lines or [rest]:
                run.write(line, level=self._level, stream=self._stream)
            del self._begun[key]
            if lines and rest:
                self._begun[key] = io.StringIO()
                self._begun[key].write(rest)
        return len(text)

    def end(self, run: RunLog) -> None:
        """What a run that ends has not finished with a newline."""
        for key in [key for key in list(self._begun) if key[0] == id(run)]:
            begun = self._begun.pop(key, None)
            if begun is not None:
                run.write(begun.getvalue(), level=self._level, stream=self._stream)

    def flush(self) -> None:
        self.original.flush()

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.original.fileno()

    def isatty(self) -> bool:
        return self.original.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.original.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        return self.original.errors

    def __getattr__(self, name: str) -> Any:
        return getattr(self.original, name)


_handler = JobLogHandler()
_formatter = logging.Formatter()


def install_logging() -> None:
    """Begin to capture what `logging` says; a second time does nothing."""
    root = logging.getLogger()
    if _handler not in root.handlers:
        root.addHandler(_handler)
    make = logging.getLogRecordFactory()
    if not isinstance(make, MaskedRecords):
        logging.setLogRecordFactory(MaskedRecords(make))


def install() -> None:
    """Begin to capture; a second time does nothing."""
    install_logging()
    if not isinstance(sys.stdout, CapturedStream):
        sys.stdout = CapturedStream(sys.stdout, STDOUT)
    if not isinstance(sys.stderr, CapturedStream):
        sys.stderr = CapturedStream(sys.stderr, STDERR)


def uninstall() -> None:
    """Leave things as they were."""
    logging.getLogger().removeHandler(_handler)
    make = logging.getLogRecordFactory()
    if isinstance(make, MaskedRecords):
        logging.setLogRecordFactory(make.make)
    if isinstance(sys.stdout, CapturedStream):
        sys.stdout = sys.stdout.original
    if isinstance(sys.stderr, CapturedStream):
        sys.stderr = sys.stderr.original


def end_run(run: RunLog) -> None:
    """The run has ended: its unfinished lines are lines, and no more follow."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, CapturedStream):
            stream.end(run)
    run.close()


def _mask_record(record: logging.LogRecord, masker: Masker) -> None:
    if isinstance(record.msg, dict):  # of structlog, whose formatter takes it apart later
        parts = record.msg.items()
        record.msg = {key: masker.mask_text(part) if isinstance(part, str) else part for key, part in parts}
    else:
        # In words alone, as `logging` itself does for a queue: arguments are shown by some handlers.
        record.msg, record.args = masker.mask_text(_parts(record)[0]), ()
    if record.exc_info:
        text = _formatter.formatException(record.exc_info)
        masked = masker.mask_text(text)
        if masked != text:
            record.exc_info, record.exc_text = None, masked
    if record.stack_info:
        record.stack_info = masker.mask_text(record.stack_info)


def _parts(record: logging.LogRecord) -> tuple[str, dict[str, Any]]:
    """Our own lines come in parts; others are their message."""
    parts: tuple[str, dict[str, Any]] | None = getattr(record, "headrace", None)
    if parts is not None:
        return parts
    try:
        return record.getMessage(), {"logger": record.name}
    except Exception as error:
        return f"{record.msg!r} (its arguments do not fit: {error})", {"logger": record.name}
