"""A worker process to be measured: `python -m bench.worker --concurrency N`, until SIGTERM."""

from __future__ import annotations

import argparse

from bench.app import hr
from headrace.cli.logs import set_up_logs
from headrace.cli.run import run_loop, serve_worker

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--concurrency", type=int, default=500)
    set_up_logs(readable=False)
    hr.configure({"jobs.worker_concurrency": parser.parse_args().concurrency})
    run_loop(serve_worker(hr))
