"""Check the free space of the disks."""

import shutil
from collections.abc import Iterator
from pathlib import Path

from hubbub.config import Settings
from hubbub.doctor.configuration import existing_part
from hubbub.doctor.finding import Finding, Severity, ok
from hubbub.files.store import folder_of_files

GIB = 1024**3
LEAST_BYTES, FEW_BYTES, FEW_PARTS = GIB // 4, GIB, 20
"""Wrong below the first; a warning below the second, or below one part of so many."""


def check_disks(settings: Settings) -> Iterator[Finding]:
    """Check the free space of the data folder, and of the folder of files if it is elsewhere."""
    folders = [settings.data, folder_of_files(settings.files, settings.data) or settings.data]
    places = {existing_part(folder) for folder in folders}
    disks = {place.stat().st_dev: place for place in sorted(places)}
    for place in disks.values():
        usage = shutil.disk_usage(place)
        yield judge_space(place, usage.free, usage.total)


def judge_space(place: Path, free: int, total: int) -> Finding:
    """Return whether the free space of a disk is enough."""
    sentence = f"{free / GIB:,.1f} GiB of {total / GIB:,.1f} GiB are free at {place.absolute()}"
    if free >= max(FEW_BYTES, total // FEW_PARTS):
        return ok("disk", sentence)
    state = Severity.WRONG if free < LEAST_BYTES else Severity.WARNING
    remedy = "Make room: when the disk is full, every write is answered with 503."
    return Finding("disk", state, f"Only {sentence}.", remedy)
