"""The notification settings of an app: the defaults of its users, and what is not theirs to choose.

Only what an app has set is stored, as a document: a default may so change for the others.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct, defstruct

from hubbub.records.notifications.items import (
    ASKED_FOR,
    CALLS,
    OF_GROUPS,
    Default,
    Item,
    PreferenceDefault,
    Switch,
)
from hubbub.records.notifications.templates import Templates

Document = dict[str, Any]
"""Some of the settings: the fields of `NotificationSettings` by name, at every depth."""

LATEST = 2359
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_REPLACED = "custom_json"
_decode = msgspec.json.Decoder(Document).decode


def _items_struct(name: str, about: str, items: Iterable[Item]) -> type[Struct]:
    """Return a struct with the defaults of items."""
    declared = [(item.value, _type_of(item.default), item.default) for item in items]
    namespace = {"__doc__": about}
    return defstruct(name, declared, frozen=True, module=__name__, namespace=namespace)


def _type_of(default: Default) -> Any:
    if isinstance(default, Switch):
        return Switch
    return PreferenceDefault[type(default.setting)]  # type: ignore[misc]


GroupSettings = _items_struct(
    "GroupSettings",
    "The defaults for groups.",
    (item for item in Item if item not in CALLS | ASKED_FOR),
)
OneOnOneSettings = _items_struct(
    "OneOnOneSettings",
    "The defaults for one-to-one conversations.",
    (item for item in Item if item not in CALLS | ASKED_FOR | OF_GROUPS),
)
CallSettings = _items_struct(
    "CallSettings",
    "The states of calls of which people are notified, by push only; no user chooses.",
    (item for item in Item if item in CALLS),
)


class Day(Struct, frozen=True):
    """The period of a weekday in which notifications are sent, in the person's time zone.

    Times are numbers such as 2359. The minute `until` is in the period. If `until` is before
    `since`, the period goes over midnight: it is the beginning of that day, and its end.
    """

    since: int = 0
    until: int = LATEST
    dnd: bool = False

    def includes(self, time: int) -> bool:
        """Return whether notifications are sent at that time of the day, such as 1805."""
        if self.dnd:
            return False
        if self.since <= self.until:
            return self.since <= time <= self.until
        return time <= self.until or self.since <= time


class Schedule(Struct, frozen=True):
    """The period of each weekday."""

    monday: Day = Day()
    tuesday: Day = Day()
    wednesday: Day = Day()
    thursday: Day = Day()
    friday: Day = Day()
    saturday: Day = Day()
    sunday: Day = Day()

    def day(self, weekday: int) -> Day:
        """Return the period of a weekday, counted from Monday, which is 0."""
        found: Day = getattr(self, WEEKDAYS[weekday])
        return found


class MuteSettings(Struct, frozen=True):
    """The defaults of do-not-disturb and the schedule, and what users may mute."""

    dnd: PreferenceDefault[Switch] = PreferenceDefault(Switch.OFF)
    schedule: PreferenceDefault[Schedule] = PreferenceDefault(Schedule())
    may_mute_groups: bool = True
    may_mute_one_on_ones: bool = True


class ChannelSettings(Struct, frozen=True):
    """The limits of e-mail or SMS to a person."""

    unread_only: bool = True
    interval_seconds: int = 7_200
    max_per_day: int = 20
    max_per_day_per_conversation: int = 2


class PushSettings(Struct, frozen=True):
    """The parts of a push payload."""

    include_message_object: bool = False
    include_message_metadata: bool = True
    include_sender_metadata: bool = True
    include_receiver_metadata: bool = True
    trim_text: bool = False
    custom_json: Mapping[str, Any] = {}


class Sound(Struct, frozen=True):
    """The names of the sounds."""

    chat: str = "default"
    call: str = "default"


class NotificationSettings(Struct, frozen=True):
    """All notification settings of an app; made without arguments, the defaults."""

    push: PushSettings = PushSettings()
    call: CallSettings = CallSettings()  # type: ignore[valid-type]
    group: GroupSettings = GroupSettings()  # type: ignore[valid-type]
    one_on_one: OneOnOneSettings = OneOnOneSettings()  # type: ignore[valid-type]
    mute: MuteSettings = MuteSettings()
    email: ChannelSettings = ChannelSettings()
    sms: ChannelSettings = ChannelSettings()
    bypass_for_mentions: bool = False
    """Whether a mention beats do-not-disturb, mute and schedule of who is mentioned."""
    bypass_for_group_mentions: bool = False
    """Likewise for `@all`."""
    sound: Sound = Sound()
    templates: Templates = Templates()


_DEFAULTS: Document = msgspec.to_builtins(NotificationSettings())
# At once, and not when it is first needed: if two reader threads convert to a type for the first
# time together, msgspec 0.22 uses what one has only half made of it, and the process crashes.
msgspec.convert(_DEFAULTS, NotificationSettings)


@lru_cache(maxsize=256)
def notification_settings_of(text: str | None) -> NotificationSettings:
    """Return the settings of an app from its stored document; None is nothing stored."""
    given = _decode(text) if text else {}
    return msgspec.convert(merge_documents(_DEFAULTS, given), NotificationSettings)


def merge_documents(before: Document, given: Document) -> Document:
    """Return a document with the values of `given` at every depth, and else those of `before`.

    `custom_json` is one value: keys that were in it before are not kept.
    """
    merged = dict(before)
    for name, value in given.items():
        is_nested = isinstance(value, dict) and name != _REPLACED
        merged[name] = merge_documents(before.get(name) or {}, value) if is_nested else value
    return merged
