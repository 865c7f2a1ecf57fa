"""The contract's jobs as a program: `python -I -S programs.py <key>`, with the payload on stdin. Stdlib only."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any


def answer(value: Any) -> None:
    with open(os.environ["HEADRACE_RESULT"], "w", encoding="utf-8") as file:
        json.dump(value, file)


def run(key: str, payload: dict[str, Any]) -> int:
    """Do as the key says; gives back the exit code."""
    match key:
        case "succeed":
            answer({"double": 2 * payload["n"]})
        case "fail":
            return 1
        case "recover":
            if os.environ["HEADRACE_RUN"] == "1":
                return 1
            answer("recovered")
        case "slow":
            time.sleep(3600)
        case "hang":
            print("started", os.getpid(), flush=True)
            time.sleep(3600)
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "large":
            answer("x" * payload["size"])
        case "talk":
            for number in range(1, payload["count"] + 1):
                print("line", number)
        case "leak" | "leak_and_fail":
            print("the password is", payload["password"])
            if key == "leak_and_fail":
                print("it broke with", payload["password"], file=sys.stderr)
                return 1
            answer({"password_was": payload["password"]})
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], json.load(sys.stdin)))
