"""How the operating system is asked to run the threads of a node."""

import ctypes
import os
import threading
from collections.abc import Callable

from hubbub.kernel.scheduling import (
    ATTRIBUTES,
    NICENESS,
    SLICE_SECONDS,
    ask_for_short_slices,
    step_back,
)

SCHED_GETATTR = 315 if os.uname().machine == "x86_64" else 275


def attributes_after(work: Callable[[], None]) -> tuple[int, int, int]:
    """Return the policy, the niceness and the slice in ns of a thread that has done the work."""
    found: list[tuple[int, int, int]] = []

    def look() -> None:
        work()
        answer = ctypes.create_string_buffer(ATTRIBUTES.size)
        ctypes.CDLL(None).syscall(SCHED_GETATTR, 0, answer, ATTRIBUTES.size, 0)
        _, policy, _, niceness, _, slice_, *_ = ATTRIBUTES.unpack(answer.raw)
        found.append((policy, niceness, slice_))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    return found[0]


def test_short_slices_change_nothing_else() -> None:
    """A thread that asks for short slices gets them, where the kernel has them, and no more."""
    policy, niceness, before = attributes_after(lambda: None)

    short = round(SLICE_SECONDS * 1_000_000_000)
    expected = short if before else 0  # an older kernel tells of no slice
    assert attributes_after(ask_for_short_slices) == (policy, niceness, expected)


def test_who_steps_back_keeps_that() -> None:
    """The priority of a thread that stepped back stays low with short slices."""

    def work() -> None:
        step_back()
        ask_for_short_slices()

    assert attributes_after(work)[1] == NICENESS
