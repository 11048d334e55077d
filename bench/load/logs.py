"""The complete import of real logs, read back and compared, by `examples/irc_import.py`."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from bench.load.generator import Measured
from bench.load.scenarios import Scenario, Trial

SCRIPT = Path(__file__).parents[2] / "examples" / "irc_import.py"
LOGS = "logs"
_MESSAGES = re.compile(r"import messages\W+(?P<rows>[\d,]+)[^\w,.]+(?P<seconds>[\d,.]+)")


class Different(Exception):
    """What was read back differs from what was imported; the message has the script's output."""


def logs_scenario(logs: Path) -> Scenario:
    """Return the scenario that imports the logs in a folder or archive."""
    about = f"complete import of {logs.name}; CPU with users, members and reading back"
    return Scenario(LOGS, about, "rows", lambda trial: _run(trial, logs))


def _run(trial: Trial, logs: Path) -> Measured:
    node, scene = trial.nodes[0], trial.scene
    command = [
        *(sys.executable, str(SCRIPT), "--logs", str(logs), "--url", node.address),
        *("--app", scene.app_id, "--key", scene.key),
    ]
    with trial.metered():
        started, before = time.perf_counter(), os.times()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        share = _cpu_of_clients(before) / (time.perf_counter() - started)
    found = _MESSAGES.search(done.stdout)
    if done.returncode or found is None:
        raise Different(done.stdout + done.stderr)
    rows = int(found["rows"].replace(",", ""))
    return Measured(rows / float(found["seconds"].replace(",", "")), answers=rows, generator=share)


def _cpu_of_clients(before: os.times_result) -> float:
    """Return the CPU seconds of the clients that have ended since."""
    now = os.times()
    used = now.children_user + now.children_system
    return used - before.children_user - before.children_system
