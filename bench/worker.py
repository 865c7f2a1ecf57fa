"""A worker process to be measured: `python -m bench.worker --concurrency N`, until SIGTERM."""

from __future__ import annotations

import argparse
import os

from bench.app import hr
from headrace.cli.process.log_output import set_up_logs
from headrace.cli.process.run import run_loop, serve_http_worker, serve_worker

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--concurrency", type=int, default=500)
    parser.add_argument("--url", help="a server to work for, with HEADRACE_TOKEN, instead of a database")
    arguments = parser.parse_args()
    set_up_logs(readable=False)
    hr.configure({"jobs.worker_concurrency": arguments.concurrency})
    if arguments.url:
        run_loop(serve_http_worker(hr, arguments.url, os.environ["HEADRACE_TOKEN"]))
    else:
        run_loop(serve_worker(hr))
