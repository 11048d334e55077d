"""Read the clock all the time: how long the machine gives us no processor, whoever has it.

Run as `python -m bench.realtime.stalls`; when its input ends it prints the stalls, in seconds.
"""

import json
import select
import sys
import time

PAUSE_SECONDS, NOTED_SECONDS = 0.001, 0.005


def find_stalls() -> list[float]:
    """Return how much later than asked for we were woken, whenever that was long."""
    found: list[float] = []
    while True:
        began = time.perf_counter()
        is_over = select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]
        late = time.perf_counter() - began - PAUSE_SECONDS
        if is_over:
            return found
        if late >= NOTED_SECONDS:
            found.append(late)


if __name__ == "__main__":
    print(json.dumps(find_stalls()))
