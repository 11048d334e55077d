"""The IRC import against a node in a process of its own, as a user of the example runs it."""

import subprocess
import sys
from pathlib import Path

from tests.live import LiveNode

HERE = Path(__file__).parent
SCRIPT = HERE.parents[1] / "examples" / "irc_import.py"
LOGS = HERE / "ubuntu_irc_excerpt"


async def test_real_logs_come_back_as_they_went_in(live: LiveNode) -> None:
    """An import of real logs ends with no difference, and so does the same import once more."""
    world = await live.world(name="IRC")
    command = [sys.executable, SCRIPT, "--url", live.address, "--app", world.app_id]

    for _ in range(2):
        done = subprocess.run(
            [*command, "--key", world.key, "--logs", LOGS],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0 differences"), done.stderr
