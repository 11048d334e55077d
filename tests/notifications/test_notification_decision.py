"""The decision whether a person is notified, against a plain model, over all combinations."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import product
from typing import Any, NamedTuple

import pytest
from tests.notifications.talks import BEN, HIKERS, happening, user, view

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.planning.decide import Addressee, Limits, decide
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.records.notifications.app_settings import (
    ChannelSettings,
    Day,
    GroupSettings,
    MuteSettings,
    NotificationSettings,
    OneOnOneSettings,
    Schedule,
)
from hubbub.records.notifications.items import Item, MessageLevel, PreferenceDefault, Switch
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preferences import (
    Choices,
    DayChoices,
    GroupChoices,
    OneOnOneChoices,
    Preferences,
    ScheduleChoices,
    resolve_preferences,
)

ALWAYS = Schedule()
NEVER = Schedule(**dict.fromkeys(Schedule.__struct_fields__, Day(dnd=True)))
DAYS = dict(enumerate(Schedule.__struct_fields__))


def seconds(moment: str) -> float:
    """Return a time in UTC as seconds."""
    return datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()


NOW = seconds("2026-03-29T01:15:00")
"""A Sunday; in Berlin a quarter past three, after the hour from two to three was left out."""


@dataclass(frozen=True)
class Time:
    """What a person, or their app, says of the days, and whether it is open at NOW."""

    timezone: str
    default: Schedule
    may_override: bool
    chosen: ScheduleChoices | None
    is_open: bool


SUNDAY_MORNING = ScheduleChoices(sunday=DayChoices(since=300, until=330))
SUNDAY_GAP = ScheduleChoices(sunday=DayChoices(since=200, until=259))
TIMES = [
    Time("UTC", ALWAYS, True, None, True),
    Time("UTC", NEVER, True, None, False),
    Time("Europe/Berlin", ALWAYS, True, SUNDAY_MORNING, True),
    Time("UTC", ALWAYS, True, SUNDAY_MORNING, False),  # 01:15
    Time("Europe/Berlin", ALWAYS, True, SUNDAY_GAP, False),
    Time("Europe/Berlin", ALWAYS, False, SUNDAY_GAP, True),
    Time("Europe/Berlin", NEVER, False, SUNDAY_MORNING, False),
    Time("Pacific/Kiritimati", ALWAYS, True, SUNDAY_GAP, False),  # Sunday, 15:15
    Time("Pacific/Pago_Pago", ALWAYS, True, SUNDAY_GAP, True),  # Saturday, 14:15
]
LEVELS = (1, 2, 3)
MS = int(NOW * 1000)
MUTES = [(0, True), (MS, True), (MS + 1, True), (MS + 1, False)]
DNDS = list(product((1, 2), (True, False), (None, 1, 2)))
MENTIONS = [(), ("ben",), ("@all",), ("carl",), ("ben", "@all")]
BYPASSES = list(product((False, True), (False, True)))
Quota = tuple[Reason | None, int, int]
QUOTAS: list[Quota | None] = [
    None,  # push
    (None, 0, 0),
    (Reason.MISSING_EMAIL, 0, 0),
    (Reason.MISSING_PHNO, 20, 2),
    (None, 19, 1),
    (None, 20, 1),
    (None, 19, 2),
]
EVERY_OTHER = {
    None,
    Reason.DND_PREFERENCE,
    Reason.MUTE_PREFERENCE,
    Reason.SCHEDULE_PREFERENCE,
    Reason.MISSING_EMAIL,
    Reason.MISSING_PHNO,
    Reason.QUOTA_PREFERENCE,
}


class Case(NamedTuple):
    """One combination of everything, as plain values."""

    level: int
    may_override: bool
    choice: int | None
    mute: tuple[int, bool]
    dnd: tuple[int, bool, int | None]
    time: Time
    mentions: tuple[str, ...]
    bypass: tuple[bool, bool]
    quota: Quota | None


def model(case: Case, reason: Reason) -> Reason | None:
    """Decide as the reference says, step by step, without any of the code under test."""
    level = case.choice if case.may_override and case.choice else case.level
    is_mentioned = "ben" in case.mentions or "@all" in case.mentions
    if level == 1 or (level == 3 and not is_mentioned):
        return reason
    for_mentions, for_group_mentions = case.bypass
    bypasses = (for_mentions and is_mentioned) or (for_group_mentions and "@all" in case.mentions)
    dnd_default, dnd_override, dnd_choice = case.dnd
    muted_until, may_mute = case.mute
    if not bypasses:
        if (dnd_choice if dnd_override and dnd_choice else dnd_default) == 2:
            return Reason.DND_PREFERENCE
        if may_mute and muted_until > NOW * 1000:
            return Reason.MUTE_PREFERENCE
        if not case.time.is_open:
            return Reason.SCHEDULE_PREFERENCE
    if case.quota is not None:
        missing, today, here = case.quota
        if missing:
            return missing
        if today >= 20 or here >= 2:
            return Reason.QUOTA_PREFERENCE
    return None


def settings_of(
    level: int,
    may_override: bool,
    may_mute: bool,
    dnd: tuple[int, bool],
    time: Time,
    bypass: tuple[bool, bool],
) -> NotificationSettings:
    """Return the settings of an app."""
    item = PreferenceDefault(MessageLevel(level), may_override=may_override)
    return NotificationSettings(
        group=GroupSettings(messages=item, replies=item, quoted_replies=item),
        one_on_one=OneOnOneSettings(messages=item, replies=item, quoted_replies=item),
        mute=MuteSettings(
            dnd=PreferenceDefault(Switch(dnd[0]), may_override=dnd[1]),
            schedule=PreferenceDefault(time.default, may_override=time.may_override),
            may_mute_groups=may_mute,
            may_mute_one_on_ones=may_mute,
        ),
        bypass_for_mentions=bypass[0],
        bypass_for_group_mentions=bypass[1],
    )


def preferences_of(
    settings: NotificationSettings, choice: int | None, dnd: int | None, time: Time
) -> Preferences:
    """Return the preferences of a person with these choices."""
    level = MessageLevel(choice) if choice else None
    choices = Choices(
        group=GroupChoices(messages=level, replies=level, quoted_replies=level),
        one_on_one=OneOnOneChoices(messages=level, replies=level, quoted_replies=level),
        dnd=Switch(dnd) if dnd else None,
        schedule=time.chosen,
        timezone=time.timezone,
    )
    return resolve_preferences(settings, choices)


def sent(item: Item, mentions: tuple[str, ...], *, is_group: bool) -> Happening:
    """Return a message of Anna's."""
    mentioned = [user(uid) for uid in mentions if uid != "@all"]
    to = HIKERS if is_group else BEN
    about = view(to=to, mentions=mentioned, mentions_all="@all" in mentions)
    return happening(item, about)


def people(
    level: int, may_override: bool, choice: int | None
) -> Iterator[tuple[tuple[Any, ...], NotificationSettings, Addressee]]:
    """Yield all combinations of an app and a person, with an item that is set so."""
    for mute, dnd, time, bypass in product(MUTES, DNDS, TIMES, BYPASSES):
        settings = settings_of(level, may_override, mute[1], dnd[:2], time, bypass)
        preferences = preferences_of(settings, choice, dnd[2], time)
        yield (mute, dnd, time, bypass), settings, Addressee("ben", preferences, mute[0])


@pytest.mark.parametrize("choice", [None, *LEVELS])
@pytest.mark.parametrize("may_override", [True, False])
@pytest.mark.parametrize("level", LEVELS)
def test_every_combination(level: int, may_override: bool, choice: int | None) -> None:
    """Code and model agree on each of 1.4 million combinations, and each reason occurs."""
    instant = Instant(NOW)
    item = (Item.MESSAGE, Item.REPLY, Item.QUOTED_REPLY)[level - 1]
    is_group = choice in (None, 2)
    messages = {each: sent(item, each, is_group=is_group) for each in MENTIONS}
    found: set[Reason | None] = set()
    for (mute, dnd, time, bypass), settings, addressee in people(level, may_override, choice):
        for mentions, quota in product(MENTIONS, QUOTAS):
            case = Case(level, may_override, choice, mute, dnd, time, mentions, bypass, quota)
            expected = model(case, item.reason)
            found.add(expected)
            limits = Limits(ChannelSettings(), *quota) if quota else None
            reason = decide(settings, messages[mentions], instant, addressee, limits)
            if reason != expected:
                pytest.fail(f"{case}: {reason}, not {expected}")

    is_off = (choice if may_override and choice else level) == 1
    is_for_mentions = (choice if may_override and choice else level) == 3
    assert found == {item.reason} if is_off else found - {item.reason} == EVERY_OTHER
    assert (item.reason in found) == (is_off or is_for_mentions)
