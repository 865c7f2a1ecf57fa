"""Where the spawner's process begins."""

from __future__ import annotations

import importlib
import os
import sys

if __name__ == "__main__":
    # At the end of the path, so that no file beside this folder can stand in for a standard module.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    importlib.import_module("keeper.spawner").main()
