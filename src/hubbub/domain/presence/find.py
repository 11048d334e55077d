"""Find how many users are online."""

from hubbub.records.presence.store import find_online
from hubbub.runtime import Runtime


async def count_online(runtime: Runtime, app_id: str) -> int:
    """Return the number of users of an app who are available; it is kept, not counted."""
    return await find_online(runtime.database, app_id)
