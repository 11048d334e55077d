"""How the operating system shares the processor among the threads of a node; only on Linux."""

import ctypes
import os
import platform
import struct
import sys
import threading

NICENESS = 10
"""The event loop and the writer go first when there are fewer cores than threads."""
SLICE_SECONDS = 0.0001
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}.get(platform.machine())
"""The number of the system call, for which older C libraries have no function."""
ATTRIBUTES = struct.Struct("=IIQiIQQQ")


def step_back() -> None:
    """Lower the priority of this thread, and of the processes that it starts."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def ask_for_short_slices() -> None:
    """Ask to be run soon after each wait, for a short time, as a thread needs that waits often.

    Its share of the processor stays the same. Kernels before Linux 6.12 ignore the length of the
    slices of normal threads; what refuses the call leaves the thread as it is.
    """
    if sys.platform != "linux" or SCHED_SETATTR is None:
        return
    niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    nanoseconds = round(SLICE_SECONDS * 1_000_000_000)
    attributes = ATTRIBUTES.pack(ATTRIBUTES.size, os.SCHED_OTHER, 0, niceness, 0, nanoseconds, 0, 0)
    ctypes.CDLL(None).syscall(SCHED_SETATTR, 0, attributes, 0)
