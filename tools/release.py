"""Build a release: the sdist, the wheel from it, the unit for systemd, and the lock.

The lock has the hash of the wheel and all pins of `requirements.lock`, so that one `pip install
--require-hashes` installs exactly what the tests ran with.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(folder: Path) -> Path:
    """Build the sdist and the wheel into a folder, with the tools of this environment."""
    options = ("--no-isolation", "--outdir", folder)
    subprocess.run([sys.executable, "-m", "build", *options, ROOT], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def write_lock(wheel: Path) -> None:
    """Write the lock of a release beside its wheel."""
    project, version = wheel.name.split("-")[:2]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    pin = f"{project.replace('_', '-')}=={version} \\\n    --hash=sha256:{digest}\n"
    pins = (ROOT / "requirements.lock").read_text()
    wheel.with_name(f"{project}-{version}.lock").write_text(pin + pins)


def main() -> None:
    """Build a release into an empty folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the folder, which is made if it is missing")
    folder = parser.parse_args().folder.absolute()
    write_lock(build(folder))
    shutil.copy(ROOT / "deploy/hubbub.service", folder)


if __name__ == "__main__":
    main()
