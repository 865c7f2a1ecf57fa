"""Print what is vendored, as npm wants it: `preact@11.2.0 …`. Runs before anything is installed."""

import json
from pathlib import Path

LIST = Path(__file__).parents[1] / "src/headrace/web/static/vendor/versions.json"

if __name__ == "__main__":
    packages = json.loads(LIST.read_text("utf-8"))["packages"]
    print(" ".join(f"{package['name']}@{package['version']}" for package in packages))  # noqa: T201
