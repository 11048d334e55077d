"""The queue of SQLite's writer: nobody who waits in it is forgotten."""

import asyncio
import random

from hubbub.storage.sqlite.jobs import Job, JobQueue


async def test_a_rest_that_ends_at_once_is_noticed() -> None:
    """A job begins after its app's rest, even one that ends just when the writer begins to wait."""
    loop = asyncio.get_running_loop()

    async def work(_: object) -> None:
        """Do nothing."""

    def begin_many() -> None:
        for _ in range(3_000):
            jobs = JobQueue(most_waiting=1)
            job = Job("app", work, loop, loop.create_future())
            jobs.rest("app", random.uniform(0, 0.00003))
            jobs.put(job)
            assert jobs.get() is job

    await asyncio.to_thread(begin_many)
