"""From the bytes a process writes to lines: masked, then framed, then cut, then decoded."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.model.secret.masking import MaskedStream, Masker

LONGEST_LINE = 16_384


class OutputLines:
    """The lines of one stream. Its memory does not grow with what is written, be it one endless line."""

    def __init__(self, masker: Masker, *, longest: int = LONGEST_LINE) -> None:
        self._stream = MaskedStream(masker)
        self._longest = longest
        self._begun = bytearray()
        self._left_out = 0

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that are complete by now, or too long to wait for their end."""
        yield from self._frame(self._stream.feed(data))

    def end(self) -> Iterator[str]:
        """What is left when no more comes."""
        yield from self._frame(self._stream.end())
        if self._begun or self._left_out:
            yield self._line()

    def _frame(self, data: bytes) -> Iterator[str]:
        *complete, rest = data.split(b"\n")
        for piece in complete:
            self._add(piece)
            yield self._line()
        self._add(rest)

    def _add(self, piece: bytes) -> None:
        room = self._longest - len(self._begun)
        self._begun += piece[:room]
        self._left_out += max(0, len(piece) - room)

    def _line(self) -> str:
        raw = bytes(self._begun.removesuffix(b"\r"))
        text = raw.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
        if self._left_out:
            text += f" … {self._left_out:,} bytes left out"
        self._begun.clear()
        self._left_out = 0
        return text
