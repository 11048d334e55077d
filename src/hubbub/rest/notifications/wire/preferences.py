"""The shapes of what users choose; in a change, fields that are absent keep their values."""

from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta, Struct

from hubbub.domain.access.actor import Actor
from hubbub.kernel.errors import BadInput
from hubbub.kernel.text import normalise_id
from hubbub.records.notifications.model import MOST_MUTES_AT_ONCE, Mute
from hubbub.records.notifications.preferences import (
    Choices,
    GroupChoices,
    OneOnOneChoices,
    Preferences,
)
from hubbub.rest.notifications.wire.codes import CODES, SwitchCode
from hubbub.rest.notifications.wire.schedule import ScheduleShape, read_schedule, schedule_shape
from hubbub.rest.wire.enums import MutedType
from hubbub.rest.wire.shapes import Id, Shape

GROUP_, ONE_ON_ONE_ = "group_", "one_on_one_"
TimeZone = Annotated[
    str,
    Meta(max_length=64, description="The name of a time zone in the IANA database."),
]
Until = Annotated[
    int,
    Meta(ge=0, le=99_999_999_999_999, description="A time in the future, in milliseconds."),
]


class UserQuery(Shape):
    """The user whose preferences these are."""

    uid: Annotated[
        Id | None, Meta(description="The uid of the user. Without it, it is the acting user.")
    ] = None

    def uid_for(self, actor: Actor) -> str:
        """Return the uid of the user; by default it is the actor.

        Raises:
            BadInput: it is missing, and the app acts.
        """
        if self.uid is not None:
            return normalise_id(self.uid, "uid")
        if actor.uid is None:
            raise BadInput.field("uid", "The uid field is required.")
        return actor.uid


def _items_shape(name: str, about: str, prefix: str, record: type[Struct]) -> type[Struct]:
    """Return the shape of what a user chooses, with the items of a record."""
    names = [
        (prefix + item.name, CODES[get_args(item.type)[0]] | None, None)
        for item in msgspec.structs.fields(record)
    ]
    return msgspec.defstruct(name, names, bases=(Shape,), namespace={"__doc__": about})


GroupPreferencesShape = _items_shape(
    "GroupPreferencesShape", "The preferences of a user for groups.", GROUP_, GroupChoices
)
OneOnOnePreferencesShape = _items_shape(
    "OneOnOnePreferencesShape",
    "The preferences of a user for one-to-one conversations.",
    ONE_ON_ONE_,
    OneOnOneChoices,
)


class MutePreferencesShape(Shape):
    """The do-not-disturb and the weekly schedule of a user."""

    dnd: SwitchCode | None = None
    schedule: ScheduleShape | None = None


class PreferencesShape(Shape):
    """The notification preferences of a user."""

    group_preferences: GroupPreferencesShape | None = None  # type: ignore[valid-type]
    one_on_one_preferences: OneOnOnePreferencesShape | None = None  # type: ignore[valid-type]
    mute_preferences: MutePreferencesShape | None = None
    use_privacy_template: bool | None = None


def read_choices(body: PreferencesShape) -> Choices:
    """Return what a user chooses.

    Raises:
        BadInput: a time of the schedule is not one.
    """
    mute = body.mute_preferences or MutePreferencesShape()
    document = {
        "group": _read_items(body.group_preferences, GROUP_),
        "one_on_one": _read_items(body.one_on_one_preferences, ONE_ON_ONE_),
        "dnd": mute.dnd,
        "schedule": read_schedule(mute.schedule, "mutePreferences.schedule"),
        "uses_privacy_template": body.use_privacy_template,
    }
    return msgspec.convert(document, Choices)


def _read_items(shape: msgspec.Struct | None, prefix: str) -> dict[str, Any] | None:
    if shape is None:
        return None
    fields = msgspec.structs.asdict(shape)
    return {name.removeprefix(prefix): value for name, value in fields.items()}


def preferences_shape(preferences: Preferences) -> PreferencesShape:
    """Return the preferences of a user on the wire."""
    return PreferencesShape(
        group_preferences=GroupPreferencesShape(
            **_item_fields(preferences.group, GroupPreferencesShape, GROUP_)
        ),
        one_on_one_preferences=OneOnOnePreferencesShape(
            **_item_fields(preferences.one_on_one, OneOnOnePreferencesShape, ONE_ON_ONE_)
        ),
        mute_preferences=MutePreferencesShape(
            dnd=preferences.dnd.value, schedule=schedule_shape(preferences.schedule)
        ),
        use_privacy_template=preferences.uses_privacy_template,
    )


def _item_fields(record: Struct, shape: type[msgspec.Struct], prefix: str) -> dict[str, Any]:
    return {name: getattr(record, name.removeprefix(prefix)) for name in shape.__struct_fields__}


class TimeZoneShape(Shape):
    """The time zone of a user."""

    timezone: TimeZone


class MutedConversation(Shape):
    """A muted conversation: of a group, or with another user."""

    id: Annotated[Id, Meta(description="The guid of the group, or the uid of the other user.")]
    type: MutedType
    until: Until


class MuteList(Shape):
    """The muted conversations of a user."""

    muted_conversations: list[MutedConversation]


class MuteConversations(Shape):
    """The conversations to mute."""

    conversations: Annotated[list[MutedConversation], Meta(max_length=MOST_MUTES_AT_ONCE)]

    def mutes(self) -> list[Mute]:
        return [
            Mute(normalise_id(each.id, f"conversations.{index}.id"), each.type, each.until)
            for index, each in enumerate(self.conversations)
        ]


class NamedConversation(Shape):
    """A conversation that is to be unmuted."""

    id: Annotated[Id, Meta(description="The guid of the group, or the uid of the other user.")]
    type: MutedType


class UnmuteConversations(Shape):
    """The conversations to unmute."""

    conversations: Annotated[list[NamedConversation], Meta(max_length=MOST_MUTES_AT_ONCE)]

    def mutes(self) -> list[Mute]:
        return [
            Mute(normalise_id(each.id, f"conversations.{index}.id"), each.type)
            for index, each in enumerate(self.conversations)
        ]


def mutes_shape(mutes: list[Mute]) -> MuteList:
    """Return muted conversations on the wire."""
    return MuteList(
        muted_conversations=[
            msgspec.convert(mute, MutedConversation, from_attributes=True) for mute in mutes
        ]
    )
