"""The programs that tests of clients run."""

import os
import shutil

import pytest


def need(*programs: str) -> None:
    """Skip the test where a program is missing; in CI it fails."""
    missing = [name for name in programs if not shutil.which(name)]
    if not missing:
        return
    text = f"not on this machine: {', '.join(missing)}"
    if os.environ.get("CI") == "true":
        pytest.fail(text)
    pytest.skip(text)
