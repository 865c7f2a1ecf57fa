"""The dashboard's files, under an address that changes when any of them does."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

STATIC = Path(__file__).parent / "static"
TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
WORTH_PACKING = 1024


@dataclass(frozen=True)
class File:
    """A file as it is sent."""

    content: bytes
    kind: str

    @cached_property
    def packed(self) -> bytes | None:
        """Gzipped, where that saves something."""
        return gzip.compress(self.content, 9, mtime=0) if len(self.content) > WORTH_PACKING else None


@dataclass(frozen=True)
class Files:
    """All files, as they were at one time; `mark` stands for their content."""

    mark: str
    by_name: dict[str, File]

    @property
    def modules(self) -> list[str]:
        """Every script: told to the browser at once, it need not find one by another."""
        return [name for name in self.by_name if name.endswith(".js")]


class FileCache:
    """Reads the files, and again when one has changed: who works on a page only reloads it."""

    def __init__(self, folder: Path = STATIC) -> None:
        self._folder = folder
        self._seen: object = None
        self._files = Files("", {})

    def look(self) -> Files:
        """The files as they are now."""
        paths = sorted(path for path in self._folder.rglob("*") if path.is_file())
        seen = [(path, stat.st_mtime_ns, stat.st_size) for path in paths for stat in [path.stat()]]
        if seen != self._seen:
            self._files = _read(self._folder, paths)
            self._seen = seen
        return self._files

    @property
    def files(self) -> Files:
        """As they were at the last look."""
        return self._files if self._seen is not None else self.look()


def _read(folder: Path, paths: list[Path]) -> Files:
    digest = hashlib.sha256()
    by_name: dict[str, File] = {}
    for path in paths:
        name, content = path.relative_to(folder).as_posix(), path.read_bytes()
        by_name[name] = File(content, _kind(path))
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return Files(digest.hexdigest()[:16], by_name)


def _kind(path: Path) -> str:
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "text/plain"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
