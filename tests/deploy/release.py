"""What `make dist` builds, and an environment with nothing else in it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.live import environment

ROOT = Path(__file__).parents[2]
LONGEST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Release:
    """The files of a release, in a folder."""

    folder: Path

    @classmethod
    def build(cls, folder: Path, source: Path = ROOT) -> Self:
        """Build a release of `source` into a new folder, as `make dist` does."""
        run(sys.executable, source / "tools/release.py", folder)
        return cls(folder)

    @property
    def wheel(self) -> Path:
        return self._only("*.whl")

    @property
    def sdist(self) -> Path:
        return self._only("*.tar.gz")

    @property
    def lock(self) -> Path:
        return self._only("*.lock")

    def _only(self, pattern: str) -> Path:
        (found,) = self.folder.glob(pattern)
        return found


def run(*command: str | Path, cwd: Path = Path(os.sep)) -> str:
    """Run a command to its end, without this checkout on its path; return its output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(PYTHONPATH=""),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
