"""Who could have written a configuration file: it names programs, and these run as the user that reads the file.

The same is asked of a folder in which root writes.
"""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path


def distrust(file: Path) -> str | None:
    """Why a file that was found may hold what others wrote, or None where this user and root alone can write it."""
    return next((reason for place in _places(file) if (reason := _of_another(place) or _open_to_others(place))), None)


def open_to_others(file: Path) -> str | None:
    """Who else may change a file that was named, whoever owns the file; None for nobody, and for a device."""
    if not file.is_file():
        return None
    return next((reason for place in _places(file) if (reason := _open_to_others(place))), None)


def distrust_folder(folder: Path, lent: int) -> str | None:
    """Why others could put links into a folder, which this user, root and a user that root lends alone should do."""
    return _of_another(folder, lent) or _open_to_others(folder)


def _places(file: Path) -> list[Path]:
    """The file, its folder and, where it is a link, the folder of the link: who writes one of them chooses the text."""
    real = file.resolve()
    return list(dict.fromkeys((real, real.parent, file.absolute().parent)))


def _of_another(place: Path, *trusted: int) -> str | None:
    owner = place.stat().st_uid
    return None if owner in (0, os.geteuid(), *trusted) else f"{place} belongs to the user {_name(owner)}"


def _open_to_others(place: Path) -> str | None:
    status = place.stat()
    if status.st_mode & stat.S_IWOTH:
        return f"{place} can be written by all users"
    if status.st_mode & stat.S_IWGRP and not _is_own_group(status.st_gid):
        return f"{place} can be written by the group {status.st_gid}"
    return None


def _is_own_group(gid: int) -> bool:
    """A group of this user alone, as most Linux systems give to each: there the files of a user have the mode 664."""
    try:
        group = grp.getgrgid(gid)
    except KeyError:
        return False
    return group.gr_name == _name(os.geteuid()) and set(group.gr_mem) <= {group.gr_name}


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
