"""Background work for one app after the other, none of which holds up the others."""

from collections.abc import Awaitable, Callable, Iterable

import structlog

from hubbub.kernel.errors import Unavailable

log = structlog.get_logger()

MOST_UNAVAILABLE = 3
"""After so many apps in a row for which the database was not available, it is away."""


async def for_each_app(
    app_ids: Iterable[str], work: Callable[[str], Awaitable[object]], *, name: str
) -> set[str]:
    """Do the work for each app, and return the apps for which it failed.

    A defect is logged. `name` is what the log calls the work.

    Raises:
        Unavailable: the database is away.
    """
    failed: set[str] = set()
    unavailable = 0
    for app_id in app_ids:
        try:
            await work(app_id)
            unavailable = 0
        except Unavailable:
            failed.add(app_id)
            unavailable += 1
            if unavailable == MOST_UNAVAILABLE:
                raise
        except Exception as defect:
            failed.add(app_id)
            unavailable = 0
            log.error("background_defect", work=name, app=app_id, exc_info=defect)
    return failed
