"""Ask the package index for known vulnerabilities of the locked versions: `make audit`.

A vulnerability fails, unless `tools/accepted_advisories.txt` names it with a reason. An index that
has no page of a version is asked for the project's newest one, which answers for the version if
that is the newest. What is left is listed as not audited; if that is half of all, the audit fails:
it has seen nothing.
"""

import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pip._internal.models.index import PyPI  # the index that pip itself asks

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-build.lock")
ACCEPTED = ROOT / "tools" / "accepted_advisories.txt"
TRIES, PAUSE_SECONDS, TIMEOUT_SECONDS = 3, 2.0, 20
AT_ONCE = 8
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s\\;]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pin:
    """A package in its locked version."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def read_pins() -> list[Pin]:
    """Return what the lock files pin, each once."""
    found = {Pin(*match) for lock in LOCKS for match in _PIN.findall((ROOT / lock).read_text())}
    return sorted(found, key=str)


def read_accepted() -> dict[str, str]:
    """Return the reasons of accepted advisories, by their id."""
    lines = ACCEPTED.read_text().splitlines()
    rows = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def fetch(path: str) -> dict[str, Any] | None:
    """Return a page of the index; None if it has none."""
    for attempt in range(1, TRIES + 1):
        try:
            with urllib.request.urlopen(
                f"{PyPI.pypi_url}/{path}/json", timeout=TIMEOUT_SECONDS
            ) as (answer):
                page: dict[str, Any] = json.load(answer)
                return page
        except urllib.error.HTTPError as refusal:
            if refusal.code == 404:
                return None
            problem: Exception = refusal
        except OSError as failure:
            problem = failure
        if attempt < TRIES:
            time.sleep(PAUSE_SECONDS * attempt)
    print(f"not reached: {path}: {problem}", file=sys.stderr)
    return None


def find_advisories(pin: Pin) -> list[dict[str, Any]] | None:
    """Return the advisories of a locked version; None if the index can't tell."""
    page = fetch(f"{pin.name}/{pin.version}") or fetch(pin.name)
    if page is None or page["info"]["version"] != pin.version:
        return None
    return [each for each in page["vulnerabilities"] if not each.get("withdrawn")]


def name_faults(pin: Pin, advisories: list[dict[str, Any]], accepted: set[str]) -> Iterator[str]:
    """Yield a sentence for each advisory that is not accepted."""
    for each in advisories:
        if accepted.isdisjoint({each["id"], *each.get("aliases", [])}):
            fixed = ", ".join(each.get("fixed_in") or ["none yet"])
            yield f"{pin}: {each['id']}: {each.get('summary') or 'no summary'} (fixed in: {fixed})"


def main() -> int:
    """Audit all pins; return the exit code."""
    pins, accepted = read_pins(), read_accepted()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        found = list(threads.map(find_advisories, pins))
    unknown = [pin for pin, advisories in zip(pins, found, strict=True) if advisories is None]
    faults = [
        sentence
        for pin, advisories in zip(pins, found, strict=True)
        for sentence in name_faults(pin, advisories or [], set(accepted))
    ]
    for sentence in faults:
        print(sentence)
    for pin in unknown:
        print(f"not audited: {pin}")
    print(f"{len(pins) - len(unknown)} of {len(pins)} packages audited, {len(faults)} faults")
    return 1 if faults or 2 * len(unknown) >= len(pins) else 0


if __name__ == "__main__":
    sys.exit(main())
