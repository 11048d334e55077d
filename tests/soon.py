"""Wait in a test for what happens soon, in another task or process."""

import asyncio
from collections.abc import Callable

SOON_SECONDS = 60.0


async def until(is_so: Callable[[], object], seconds: float = SOON_SECONDS) -> None:
    """Wait until something is so; fail if it takes too long."""
    async with asyncio.timeout(seconds):
        while not is_so():  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.002)
