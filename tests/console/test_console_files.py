"""What the console has of others is what their packages have."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src/hubbub/console/static"
OURS = {"console.css", "console.js"}


@pytest.mark.clients
def test_the_files_of_others_are_unchanged(tmp_path: Path) -> None:
    """The committed files are those of the locked packages: `make console` copies them."""
    folder = ROOT / "clients/console"
    subprocess.run(["node", "vendor.mjs", tmp_path], cwd=folder, check=True, timeout=60)

    copied = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {each.name: each.read_bytes() for each in STATIC.iterdir() if each.name not in OURS}
    assert copied == kept, "run: make console"
