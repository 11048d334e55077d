"""Rate limits: calls per minute of an app, and of a user who calls with an auth token.

Each node counts in memory for itself. A limit keeps one caller from using up a node; it is no
quota. Rejected calls count, too. Source: limits of the interface, section 3 of its behaviour.
"""

import enum
from dataclasses import dataclass

from hubbub.kernel.errors import TooMany
from hubbub.records.settings.model import (
    CALLS,
    CORE_CALLS,
    IMPORT_CALLS,
    USER_CALLS,
    USER_SENDS,
    AppSettings,
    settings_key,
)
from hubbub.records.settings.store import find_settings
from hubbub.runtime import Runtime


class Rate(enum.Enum):
    """The kind of a call, which decides its limits."""

    CORE = "core"
    """It creates or deletes users or groups."""
    STANDARD = "standard"
    IMPORT = "import"
    SEND = "send"
    """It sends a message. For the app it is a standard call; users have a limit of their own."""
    FREE = "free"
    """It is not limited, so that limits can be raised with it."""


OF_APP = {
    Rate.CORE: CORE_CALLS,
    Rate.STANDARD: CALLS,
    Rate.SEND: CALLS,
    Rate.IMPORT: IMPORT_CALLS,
}


class TooManyCalls(TooMany):
    """The limit of calls in this minute is reached; the call was not carried out."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit per minute, and the calls that are left in this one."""

    limit: int
    left: int


async def take_call(runtime: Runtime, app_id: str, uid: str | None, rate: Rate) -> Allowance | None:
    """Count a call of the app, or of a user with an auth token; return the tightest allowance.

    None means that no limit applies. A call beyond the user's limit does not count for the app.

    Raises:
        TooManyCalls: a limit is reached.
    """
    if rate is Rate.FREE:
        return None
    keys = [(OF_APP[rate], "")]
    if uid is not None:
        of_user = [USER_CALLS, USER_SENDS] if rate is Rate.SEND else [USER_CALLS]
        keys = [*((key, uid) for key in of_user), *keys]
    settings = await _find_settings(runtime, app_id)
    taken = [_take(runtime, settings, app_id, key, caller) for key, caller in keys]
    return min(
        (each for each in taken if each is not None), key=lambda each: each.left, default=None
    )


async def take_sends(runtime: Runtime, app_id: str, uid: str, count: int) -> None:
    """Count further messages of a call that a user makes with an auth token.

    Raises:
        TooManyCalls: the user's limit is reached.
    """
    settings = await _find_settings(runtime, app_id)
    _take(runtime, settings, app_id, USER_SENDS, uid, count)


def _take(
    runtime: Runtime, settings: AppSettings, app_id: str, key: str, caller: str, times: int = 1
) -> Allowance | None:
    limit = settings.limit(key)
    if limit == 0:
        return None
    left = limit - runtime.rates.count((app_id, key, caller), times)
    if left < 0:
        raise TooManyCalls(
            f"The limit of {limit:,} such calls per minute is reached.",
            retry_after_seconds=runtime.rates.seconds_left,
            resets_at=runtime.rates.resets_at,
        )
    return Allowance(limit, left)


async def _find_settings(runtime: Runtime, app_id: str) -> AppSettings:
    """Return the app's settings, cached; a change on another node takes a few seconds to show."""
    key = settings_key(app_id)
    known: AppSettings | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        known = await runtime.database.read(app_id, find_settings)
        runtime.cache.put(key, known, version=version)
    return known
