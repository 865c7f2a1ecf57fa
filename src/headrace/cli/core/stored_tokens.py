"""Tokens that `headrace login` keeps, in the user's own folder and for nobody else to read."""

from __future__ import annotations

import json
import os
from pathlib import Path


def token_file() -> Path:
    """Where tokens are kept, by server."""
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "headrace" / "logins.json"


def read_token(url: str) -> str | None:
    """The token for a server, if one is kept."""
    return _read().get(url.rstrip("/"))


def store_token(url: str, token: str) -> Path:
    """Keep a token, in a file that only its owner can read."""
    file = token_file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept = {**_read(), url.rstrip("/"): token}
    draft = file.with_suffix(".new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=0o600, exist_ok=False)
    draft.write_text(json.dumps(kept, indent=2), "utf-8")
    draft.replace(file)
    return file


def forget_token(url: str) -> bool:
    """True when one was kept."""
    kept = _read()
    if kept.pop(url.rstrip("/"), None) is None:
        return False
    token_file().write_text(json.dumps(kept, indent=2), "utf-8")
    return True


def _read() -> dict[str, str]:
    try:
        found = json.loads(token_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
