"""Prometheus' own tool, which checks rules and metrics."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def promtool(*arguments: str | Path, given: str = "") -> str:
    """Return the output of `promtool`. Where it is missing, tests are skipped; in CI they fail."""
    if shutil.which("promtool") is None:
        assert os.environ.get("CI") != "true", "CI needs promtool"
        pytest.skip("promtool is not installed: it is in Debian's package prometheus")
    done = subprocess.run(
        ["promtool", *arguments],
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
