"""The shapes of notification settings; in a change, fields that are absent keep their values."""

from typing import Annotated

from msgspec import Meta

from hubbub.rest.notifications.wire.codes import MessageCode, ReactionCode, SwitchCode
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


class CallSettingsShape(Shape):
    """The states of calls of which people are notified; no user chooses: overrides are false."""

    initiated_setting: SwitchCode | None = None
    initiated_override: bool | None = None
    ongoing_setting: SwitchCode | None = None
    ongoing_override: bool | None = None
    cancelled_setting: SwitchCode | None = None
    cancelled_override: bool | None = None
    busy_setting: SwitchCode | None = None
    busy_override: bool | None = None
    rejected_setting: SwitchCode | None = None
    rejected_override: bool | None = None
    unanswered_setting: SwitchCode | None = None
    unanswered_override: bool | None = None
    ended_setting: SwitchCode | None = None
    ended_override: bool | None = None


class OneOnOneSettingsShape(Shape):
    """The defaults for one-to-one conversations, and whether users may override them."""

    messages_setting: MessageCode | None = None
    messages_override: bool | None = None
    replies_setting: MessageCode | None = None
    replies_override: bool | None = None
    quoted_replies_setting: MessageCode | None = None
    quoted_replies_override: bool | None = None
    reactions_setting: ReactionCode | None = None
    reactions_override: bool | None = None
    message_edited_setting: SwitchCode | None = None
    message_deleted_setting: SwitchCode | None = None


class GroupSettingsShape(OneOnOneSettingsShape):
    """The defaults for groups, and whether users may override them."""

    member_left_setting: SwitchCode | None = None
    member_left_override: bool | None = None
    member_added_setting: SwitchCode | None = None
    member_added_override: bool | None = None
    member_joined_setting: SwitchCode | None = None
    member_joined_override: bool | None = None
    member_kicked_setting: SwitchCode | None = None
    member_kicked_override: bool | None = None
    member_banned_setting: SwitchCode | None = None
    member_banned_override: bool | None = None
    member_unbanned_setting: SwitchCode | None = None
    member_unbanned_override: bool | None = None
    member_scope_changed_setting: SwitchCode | None = None
    member_scope_changed_override: bool | None = None


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
    call: CallSettingsShape | None = None
    bypass_preferences_for_mentions: bool | None = None
    bypass_preferences_for_group_mentions: bool | None = None
    group: GroupSettingsShape | None = None
    one_on_one: OneOnOneSettingsShape | None = None
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
    templates: TemplatesShape | None = None
