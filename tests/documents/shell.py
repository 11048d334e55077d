"""Running the shell lines of a document, in a folder of the test instead of the root."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from tests.live import START_SECONDS, STOP_SECONDS, environment

LONGEST_SECONDS = 300
PROGRAMS = f"{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
NOTHING: Mapping[str, str] = MappingProxyType({})
_PLACE = re.compile(r"(?<![\w.:/])/(backups|etc|opt|safe|srv)/")


def placed(text: str, folder: Path) -> str:
    """Move the absolute paths of a text into a folder."""
    return _PLACE.sub(rf"{folder}/\1/", text)


def run(lines: str, folder: Path, settings: Mapping[str, str] = NOTHING) -> str:
    """Run lines to their end, in a folder; return what they print."""
    done = subprocess.run(
        ["bash", "-eu", "-c", lines],
        cwd=folder,
        env=environment(**{"PATH": PROGRAMS, **settings}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
    return done.stdout


@contextmanager
def serving(
    lines: str,
    folder: Path,
    settings: Mapping[str, str] = NOTHING,
    *,
    begun: str = "Reference: ",
    seconds: float = START_SECONDS,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run lines whose last one is a server; stop it at the end of the block.

    It has begun once it prints `begun`. The process then has the server's exit code.
    """
    output = folder / "printed"
    with output.open("wb") as printed:
        process = subprocess.Popen(
            ["bash", "-eu", "-c", f"trap : TERM\n{lines}"],  # the shell waits for the server's end
            cwd=folder,
            env=environment(**{"PATH": PROGRAMS, **settings}),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_for(begun, process, output, seconds)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(STOP_SECONDS)


def wait_for(text: str, process: subprocess.Popen[bytes], output: Path, seconds: float) -> None:
    """Wait until a process has printed a text."""
    deadline = time.monotonic() + seconds
    while text not in output.read_text():
        assert process.poll() is None, output.read_text()
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.02)
