"""Up to when messages must have been sent, or read, so that their time is over."""

from hubbub.runtime import Runtime


def find_cutoff(runtime: Runtime, seconds: int) -> int:
    """Return the time so many seconds ago, as it passed: removals can't be taken back.

    Steps by which the clock was set ahead since then are no time that has passed.
    """
    cutoff = runtime.clock.now() - seconds
    return cutoff - -(-runtime.steps.find_ahead(1000 * cutoff) // 1000)
