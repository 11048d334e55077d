"""How many calls a minute an app may make, and whoever calls with a token of his.

Each node counts for itself, in memory: a limit keeps one caller from taking everybody's share of a
node, it is no quota. Calls beyond it count as well. Source: limits of the interface, section 3 of
its behaviour.
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
    """What a call counts as."""

    CORE = "core"
    """Users and groups come and go."""
    STANDARD = "standard"
    IMPORT = "import"
    SEND = "send"
    """For the app a standard one; for a user, a message of his."""
    FREE = "free"
    """Nothing: it is how limits are lifted."""


OF_APP = {
    Rate.CORE: CORE_CALLS,
    Rate.STANDARD: CALLS,
    Rate.SEND: CALLS,
    Rate.IMPORT: IMPORT_CALLS,
}


class TooManyCalls(TooMany):
    """The calls of this minute are used up; nothing was done."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a limit leaves of this minute."""

    limit: int
    left: int


async def take_call(runtime: Runtime, app_id: str, uid: str | None, rate: Rate) -> Allowance | None:
    """Count a call of the app; of `uid`, if he makes it himself. None: nothing limits it.

    What is beyond a user's own limit takes nothing from the app's.

    Raises:
        TooManyCalls: there were as many as may be.
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
    """Count further messages of a call that `uid` makes himself.

    Raises:
        TooManyCalls: there were as many as may be.
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
            f"There may be {limit:,} such calls a minute.",
            retry_after_seconds=runtime.rates.seconds_left,
            resets_at=runtime.rates.resets_at,
        )
    return Allowance(limit, left)


async def _find_settings(runtime: Runtime, app_id: str) -> AppSettings:
    """The app's settings; what another node changed is known after a few seconds."""
    key = settings_key(app_id)
    known: AppSettings | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        known = await runtime.database.read(app_id, find_settings)
        runtime.cache.put(key, known, version=version)
    return known
