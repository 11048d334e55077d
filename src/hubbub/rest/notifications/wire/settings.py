"""The shapes of notification settings; in a change, fields that are absent keep their values."""

from collections.abc import Iterator
from typing import Annotated, Any, get_args

from msgspec import Meta, Struct, defstruct
from msgspec.structs import fields

from hubbub.http.documented import describe_fields
from hubbub.records.notifications.app_settings import CallSettings, GroupSettings, OneOnOneSettings
from hubbub.records.notifications.items import PreferenceDefault
from hubbub.rest.notifications.wire.codes import CODES, SwitchCode
from hubbub.rest.notifications.wire.schedule import ScheduleShape
from hubbub.rest.notifications.wire.templates import TemplatesShape
from hubbub.rest.wire.shapes import Json, Shape, ShortText

Count = Annotated[int, Meta(ge=0, le=10_000)]


class PushSettingsShape(Shape):
    """The parts of a push payload."""

    include_message_object_setting: bool | None = None
    include_message_metadata_setting: bool | None = None
    include_sender_metadata_setting: bool | None = None
    include_receiver_metadata_setting: bool | None = None
    trim_text_field_setting: bool | None = None
    custom_json: (
        Annotated[
            Json,
            Meta(
                description="Added to every push payload, as `custom`. It is replaced as a whole;"
                " at most 1,024 bytes."
            ),
        ]
        | None
    ) = None


def _item_fields(record: type[Struct]) -> Iterator[tuple[str, Any, None]]:
    """Yield the fields of the items of a record: its value, and whether users may override it."""
    for item in fields(record):
        (level,) = get_args(item.type) or (item.type,)
        yield f"{item.name}_setting", CODES[level] | None, None
        if not isinstance(item.default, PreferenceDefault) or item.default.may_override:
            yield f"{item.name}_override", bool | None, None


def _items_shape(
    name: str,
    about: str,
    record: type[Struct],
    *,
    override: str = "Whether users may choose for themselves.",
) -> type[Struct]:
    """Return the shape of the items of a record; `override` says what it is to override one."""
    namespace = {"__doc__": about}
    shape = defstruct(name, _item_fields(record), bases=(Shape,), namespace=namespace)
    names = [each.encode_name for each in fields(shape) if each.name.endswith("_override")]
    describe_fields(name, dict.fromkeys(names, override))
    return shape


CallSettingsShape = _items_shape(
    "CallSettingsShape",
    "The states of calls of which people are notified; no user chooses: overrides are false.",
    CallSettings,
    override="Always false: nobody chooses about calls.",
)
OneOnOneSettingsShape = _items_shape(
    "OneOnOneSettingsShape",
    "The defaults for one-to-one conversations, and whether users may override them.",
    OneOnOneSettings,
)
GroupSettingsShape = _items_shape(
    "GroupSettingsShape",
    "The defaults for groups, and whether users may override them.",
    GroupSettings,
)


class MuteSettingsShape(Shape):
    """The defaults of do-not-disturb and the schedule, and what users may override and mute."""

    dnd_preference_setting: SwitchCode | None = None
    dnd_preference_override: bool | None = None
    schedule_preference_setting: ScheduleShape | None = None
    schedule_preference_override: bool | None = None
    muted_groups_override: bool | None = None
    muted_one_on_ones_override: bool | None = None


class ChannelSettingsShape(Shape):
    """The limits of e-mail or SMS to a person."""

    notify_for_unread_only: bool | None = None
    interval_in_seconds: (
        Annotated[
            int,
            Meta(
                ge=0,
                le=86_400,
                description="The wait for a conversation to be read, and between two notifications"
                " of it. The operator sets the least, usually 60.",
            ),
        ]
        | None
    ) = None
    max_per_day: Count | None = None
    max_per_day_per_conversation: Count | None = None


class AppPreferencesShape(Shape):
    """The preferences of an app."""

    push: PushSettingsShape | None = None
    call: CallSettingsShape | None = None  # type: ignore[valid-type]
    bypass_preferences_for_mentions: bool | None = None
    bypass_preferences_for_group_mentions: bool | None = None
    group: GroupSettingsShape | None = None  # type: ignore[valid-type]
    one_on_one: OneOnOneSettingsShape | None = None  # type: ignore[valid-type]
    mute: MuteSettingsShape | None = None
    email: ChannelSettingsShape | None = None
    sms: ChannelSettingsShape | None = None


class SoundShape(Shape):
    """The names of the sounds."""

    chat: ShortText | None = None
    call: ShortText | None = None


class NotificationSettingsShape(Shape):
    """The notification settings of an app."""

    preferences: AppPreferencesShape | None = None
    sound: SoundShape | None = None
    templates: TemplatesShape | None = None  # type: ignore[valid-type]
