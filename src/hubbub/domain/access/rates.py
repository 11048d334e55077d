"""How many calls a minute an app may make, and whoever calls with a token of his.

Each node counts for itself, in memory: a limit keeps one caller from taking everybody's share of a
node, it is no quota. Calls beyond it count as well. Source: limits of the interface, section 3 of
its behaviour.
"""

import enum
from dataclasses import dataclass

from hubbub.domain.settings.model import (
    CALLS,
    CORE_CALLS,
    IMPORT_CALLS,
    USER_CALLS,
    USER_SENDS,
    Settings,
    settings_key,
)
from hubbub.domain.settings.store import find_settings
from hubbub.kernel.errors import TooMany
from hubbub.runtime import Runtime


class Rate(enum.Enum):
    """What a call counts as."""

    CORE = "core"
    """Users and groups come and go."""
    STANDARD = "standard"
    IMPORT = "import"
    SEND = "send"
    """For the app a standard one; for a user, a message of his."""


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

    Raises:
        TooManyCalls: there were as many as may be.
    """
    settings = await _find_settings(runtime, app_id)
    keys = [(OF_APP[rate], "")]
    if uid is not None:
        keys.append((USER_CALLS, uid))
        if rate is Rate.SEND:
            keys.append((USER_SENDS, uid))
    tightest: Allowance | None = None
    for key, caller in keys:
        limit = settings.limit(key)
        if limit == 0:
            continue
        left = limit - runtime.rates.count((app_id, key, caller))
        if left < 0:
            raise TooManyCalls(
                f"There may be {limit:,} such calls a minute.",
                retry_after_seconds=runtime.rates.seconds_left,
                resets_at=runtime.rates.resets_at,
            )
        if tightest is None or left < tightest.left:
            tightest = Allowance(limit, left)
    return tightest


async def _find_settings(runtime: Runtime, app_id: str) -> Settings:
    """The app's settings; what another node changed is known after a few seconds."""
    key = settings_key(app_id)
    known: Settings | None = runtime.known.get(key)
    if known is None:
        version = runtime.known.version
        known = await runtime.database.read(app_id, find_settings)
        runtime.known.put(key, known, version=version)
    return known
