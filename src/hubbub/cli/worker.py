"""One of several nodes that `hubbub serve --workers` runs: `python -m hubbub.cli.worker`.

Its settings are in the environment. It prints a line when it is ready, and stops when its stdin
ends. With `--demo` it serves the demo chat.
"""

import asyncio
import sys

import uvloop

from hubbub.cli import main
from hubbub.cli.node import run_node
from hubbub.config import load_settings


def run_worker() -> None:
    """Run the node until it is stopped."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run_node(load_settings(), is_demo="--demo" in sys.argv, is_worker=True))


if __name__ == "__main__":
    main(run_worker)
