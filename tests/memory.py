"""A disk in memory, for stores that need not outlive a run: nothing waits for it."""

import shutil
from pathlib import Path

import psutil

SHARED_MEMORY = Path("/dev/shm")
ROOM_BYTES = 6 * 2**30
"""What the stores of a few test processes take, amply."""


def find_memory() -> Path | None:
    """Return the folder of a disk in memory, where the machine has one with enough room."""
    if not SHARED_MEMORY.is_dir() or psutil.virtual_memory().available < ROOM_BYTES:
        return None
    return SHARED_MEMORY if shutil.disk_usage(SHARED_MEMORY).free >= ROOM_BYTES else None
