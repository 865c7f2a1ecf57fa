"""The same application with the code of the next version, which knows more steps and other functions."""

from __future__ import annotations

import json
import os

from tests.upgrade.app import hr
from tests.upgrade.versions import next_version

from headrace.db import migrate

__all__ = ["hr"]

NEXT = next_version(json.loads(os.environ["UPGRADE_TABLES"]))
vars(migrate).update(read_migrations=lambda: NEXT.steps, read_function_files=lambda: NEXT.files)
