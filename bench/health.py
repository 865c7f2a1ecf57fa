"""A look at a server's health from a process of its own: `python -m bench.health URL` asks until its input ends."""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from urllib.parse import urlsplit

PAUSE = 0.005


def ask(url: str, enough: threading.Event) -> list[float]:
    """How long each answer took, in milliseconds."""
    place = urlsplit(url)
    took = []
    while not enough.is_set():
        began = time.perf_counter()
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=120)
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        connection.close()
        took.append((time.perf_counter() - began) * 1000)
        time.sleep(PAUSE)
    return took


def wait_for_end(enough: threading.Event) -> None:
    """Until the input ends."""
    sys.stdin.read()
    enough.set()


def main() -> None:
    enough = threading.Event()
    threading.Thread(target=wait_for_end, args=(enough,), daemon=True).start()
    print(json.dumps(ask(sys.argv[1], enough)))


main()
