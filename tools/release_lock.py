"""Write the lock of a release: the hash of its wheel, and all pins of `requirements.lock`.

With it, one `pip install --require-hashes -r` installs exactly what the tests ran with.
"""

import argparse
import hashlib
from pathlib import Path

PINS = Path(__file__).parents[1] / "requirements.lock"


def release_lock(wheel: Path, pins: str) -> str:
    """Return the text of the lock."""
    project, version = wheel.name.split("-")[:2]
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return f"{project.replace('_', '-')}=={version} \\\n    --hash=sha256:{digest}\n{pins}"


def main() -> None:
    """Write the lock beside the wheel of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with the wheel")
    (wheel,) = parser.parse_args().folder.glob("*.whl")
    project, version = wheel.name.split("-")[:2]
    lock = wheel.with_name(f"{project}-{version}.lock")
    lock.write_text(release_lock(wheel, PINS.read_text()))
    print(lock)


if __name__ == "__main__":
    main()
