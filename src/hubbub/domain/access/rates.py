"""Rate limits: calls per minute of an app, and of a user who calls with an auth token.

Each node counts in memory for itself. A limit keeps one caller from using up a node; it is no
quota. Rejected calls count, too. Source: limits of the interface, section 3 of its behaviour.
"""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hubbub.kernel.errors import TooMany
from hubbub.kernel.rates import Rates
from hubbub.records.settings.model import (
    CALLS,
    CORE_CALLS,
    IMPORT_CALLS,
    USER_APPENDS,
    USER_CALLS,
    USER_SENDS,
    AppSettings,
    settings_key,
)
from hubbub.records.settings.store import find_settings as read_settings
from hubbub.runtime import Runtime


class Rate(enum.Enum):
    """The kind of a call, which decides its limits."""

    CORE = "core"
    """It creates or deletes users or groups."""
    STANDARD = "standard"
    IMPORT = "import"
    SEND = "send"
    """It sends a message. For the app it is a standard call; users have a limit of their own."""
    APPEND = "append"
    """It appends to a message that grows, as a program does many times a second. For the app it is
    a standard call; users have a limit of their own for it, and it counts towards no other."""
    FREE = "free"
    """It is not limited, so that limits can be raised with it."""


OF_APP: Mapping[Rate, tuple[str, ...]] = {
    Rate.CORE: (CORE_CALLS,),
    Rate.STANDARD: (CALLS,),
    Rate.SEND: (CALLS,),
    Rate.APPEND: (CALLS,),
    Rate.IMPORT: (IMPORT_CALLS,),
    Rate.FREE: (),
}
OF_USER: Mapping[Rate, tuple[str, ...]] = {
    Rate.CORE: (USER_CALLS,),
    Rate.STANDARD: (USER_CALLS,),
    Rate.SEND: (USER_CALLS, USER_SENDS),
    Rate.APPEND: (USER_APPENDS,),
    Rate.IMPORT: (USER_CALLS,),
    Rate.FREE: (),
}


class TooManyCalls(TooMany):
    """The limit of calls in this minute is reached; the call was not carried out."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit of calls per minute, and the subject of its counter."""

    subject: tuple[str, str, str]
    calls: int


@dataclass(frozen=True, slots=True)
class Allowance:
    """A limit per minute, and the calls that are left in this one."""

    limit: int
    left: int


def limits_of(settings: AppSettings, app_id: str, uid: str | None, rate: Rate) -> tuple[Limit, ...]:
    """Return the limits for calls of the app, or of a user with an auth token.

    Those of the user are first: a call beyond them does not count for the app.
    """
    of_user = [(key, uid) for key in OF_USER[rate]] if uid is not None else []
    limits = (
        Limit((app_id, key, caller), settings.limit(key))
        for key, caller in [*of_user, *((key, "") for key in OF_APP[rate])]
    )
    return tuple(limit for limit in limits if limit.calls)


def take_call(rates: Rates, limits: Iterable[Limit]) -> Allowance | None:
    """Count a call towards its limits; return the tightest allowance, or None without limits.

    Raises:
        TooManyCalls: a limit is reached.
    """
    tightest: Allowance | None = None
    for limit in limits:
        left = _take(rates, limit)
        if tightest is None or left < tightest.left:
            tightest = Allowance(limit.calls, left)
    return tightest


async def count_call(runtime: Runtime, app_id: str, uid: str, rate: Rate) -> None:
    """Count a call of a user with an auth token towards all its limits.

    Raises:
        TooManyCalls: a limit is reached.
    """
    settings = await find_settings(runtime, app_id)
    take_call(runtime.rates, limits_of(settings, app_id, uid, rate))


async def take_sends(runtime: Runtime, app_id: str, uid: str, count: int) -> None:
    """Count further messages of a call that a user makes with an auth token.

    Raises:
        TooManyCalls: the user's limit is reached.
    """
    await _take_further(runtime, app_id, uid, USER_SENDS, count)


async def take_appends(runtime: Runtime, app_id: str, uid: str, count: int) -> None:
    """Count further appends of a call that a user makes with an auth token.

    Raises:
        TooManyCalls: the user's limit is reached.
    """
    await _take_further(runtime, app_id, uid, USER_APPENDS, count)


async def _take_further(runtime: Runtime, app_id: str, uid: str, key: str, count: int) -> None:
    settings = await find_settings(runtime, app_id)
    limit = Limit((app_id, key, uid), settings.limit(key))
    if limit.calls:
        _take(runtime.rates, limit, count)


def _take(rates: Rates, limit: Limit, times: int = 1) -> int:
    """Count calls towards a limit; return how many are left of it."""
    left = limit.calls - rates.count(limit.subject, times)
    if left < 0:
        raise TooManyCalls(
            f"The limit of {limit.calls:,} such calls per minute is reached.",
            retry_after_seconds=rates.seconds_left,
            resets_at=rates.resets_at,
        )
    return left


async def find_settings(runtime: Runtime, app_id: str) -> AppSettings:
    """Return the app's settings, cached; a change on another node takes a few seconds to show."""
    key = settings_key(app_id)
    known: AppSettings | None = runtime.cache.get(key)
    if known is None:
        version = runtime.cache.version
        known = await runtime.database.read(app_id, read_settings)
        runtime.cache.put(key, known, app_id=app_id, version=version)
    return known
