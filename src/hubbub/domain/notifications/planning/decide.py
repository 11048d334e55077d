"""The decision whether a person is notified of an event, and the reason if not.

    decide(settings, happening, instant, addressee)                 # push
    decide(settings, happening, instant, addressee, limits)         # e-mail, SMS

The answer is None to send, or the first reason against it, in this order:

1. the message was deleted: MESSAGE_DELETED; what a person has asked for is sent in any other case
2. the message asks for no notifications (`Happening.is_silent`): the reason of its item
3. the item is off for the person, or wants a mention or an own message: the reason of the item
4. do-not-disturb, then the muted conversation, then the weekly schedule; a mention beats these
   three, if the app says so
5. the limits of e-mail and SMS: a missing address, then the numbers of the day

Pure: the time is in `instant`, everything else in the arguments. For thousands of people, make the
happening and the instant once; people without choices of their own share one `Preferences`.
Who did it is no audience: ask `Happening.may_concern` first.
"""

from dataclasses import dataclass
from typing import Any

import msgspec

from hubbub.domain.notifications.happening import Happening
from hubbub.domain.notifications.planning.local_time import Instant
from hubbub.records.notifications.app_settings import ChannelSettings, NotificationSettings
from hubbub.records.notifications.items import (
    ASKED_FOR,
    CALLS,
    MESSAGES,
    Item,
    MessageLevel,
    ReactionLevel,
    Switch,
)
from hubbub.records.notifications.model import Reason
from hubbub.records.notifications.preferences import Preferences

_DEFAULTS = NotificationSettings()


class Addressee(msgspec.Struct, frozen=True):
    """A person who may be notified."""

    uid: str
    preferences: Preferences
    muted_until_ms: int = 0
    """Until when they have muted the conversation, in milliseconds; 0 if they have not."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What limits e-mail or SMS to a person."""

    settings: ChannelSettings
    missing: Reason | None
    """MISSING_EMAIL or MISSING_PHNO if the provider needs an address and there is none."""
    sent_today: int
    """E-mails, or short messages, of the present day in the person's time zone."""
    sent_today_in_conversation: int


def decide(
    settings: NotificationSettings,
    happening: Happening,
    instant: Instant,
    addressee: Addressee,
    limits: Limits | None = None,
) -> Reason | None:
    """Return None if the person is to be notified, or else the reason why not."""
    if happening.is_gone:
        return Reason.MESSAGE_DELETED
    if happening.item in ASKED_FOR:
        return None
    if happening.is_silent or not _is_item_on(settings, happening, addressee):
        return happening.item.reason
    if not _beats_quiet(settings, happening, addressee.uid):
        reason = _quiet(settings, happening, instant, addressee)
        if reason is not None:
            return reason
    return _exceeded(limits) if limits is not None else None


def refuses_all(settings: NotificationSettings, happening: Happening) -> Reason | None:
    """Return the reason if nobody is notified, whatever they have chosen: nobody need be read."""
    if happening.item in ASKED_FOR:
        return None
    if happening.is_silent:
        return happening.item.reason
    is_call = happening.item in CALLS
    is_final = is_call or not _item_of(settings, happening).may_override
    return happening.item.reason if is_off(settings, happening) and is_final else None


def is_off(settings: NotificationSettings, happening: Happening) -> bool:
    """Return whether an item is off for people who have chosen nothing."""
    if happening.item in ASKED_FOR:
        return False
    found = _item_of(settings, happening)
    # 1 is "off" of every kind of item.
    return bool((found if happening.item in CALLS else found.setting) == Switch.OFF)


def is_switched_off(settings: NotificationSettings, happening: Happening) -> bool:
    """Return whether the app has switched off what is on by default."""
    return is_off(settings, happening) and not is_off(_DEFAULTS, happening)


def _item_of(settings: NotificationSettings, happening: Happening) -> Any:
    """Return the setting of an item: of a call a number, else with who may override it."""
    return getattr(_section(settings, happening, settings), happening.item)


def _section(
    settings: NotificationSettings,
    happening: Happening,
    preferences: NotificationSettings | Preferences,
) -> object:
    """Return the part of the preferences that has the item; calls are for the app to decide."""
    if happening.item in CALLS:
        return settings.call
    return preferences.group if happening.is_group else preferences.one_on_one


def _is_item_on(settings: NotificationSettings, happening: Happening, addressee: Addressee) -> bool:
    item = happening.item
    # An integer, whose meaning depends on the item.
    chosen: int = getattr(_section(settings, happening, addressee.preferences), item)
    if item in MESSAGES:
        if chosen == MessageLevel.MENTIONS:
            return happening.mentions(addressee.uid)
        return chosen == MessageLevel.ALL
    if item is Item.REACTION:
        if chosen == ReactionLevel.OWN:
            return happening.author == addressee.uid
        return chosen == ReactionLevel.ALL
    return chosen == Switch.ON


def _beats_quiet(settings: NotificationSettings, happening: Happening, uid: str) -> bool:
    """Return whether a mention beats do-not-disturb, mute and schedule."""
    if happening.item not in MESSAGES:
        return False
    if settings.bypass_for_mentions:
        return happening.mentions(uid)
    return settings.bypass_for_group_mentions and happening.view.mentions_all


def _quiet(
    settings: NotificationSettings, happening: Happening, instant: Instant, addressee: Addressee
) -> Reason | None:
    """Return the reason if the person does not want to be disturbed at this time, or by this."""
    preferences = addressee.preferences
    if preferences.dnd == Switch.ON:
        return Reason.DND_PREFERENCE
    if addressee.muted_until_ms > instant.now * 1000 and _may_mute(settings, happening):
        return Reason.MUTE_PREFERENCE
    local = instant.local(preferences.timezone)
    if not preferences.schedule.day(local.weekday).includes(local.hhmm):
        return Reason.SCHEDULE_PREFERENCE
    return None


def _may_mute(settings: NotificationSettings, happening: Happening) -> bool:
    mute = settings.mute
    return mute.may_mute_groups if happening.is_group else mute.may_mute_one_on_ones


def _exceeded(limits: Limits) -> Reason | None:
    if limits.missing is not None:
        return limits.missing
    is_within = (
        limits.sent_today < limits.settings.max_per_day
        and limits.sent_today_in_conversation < limits.settings.max_per_day_per_conversation
    )
    return None if is_within else Reason.QUOTA_PREFERENCE
