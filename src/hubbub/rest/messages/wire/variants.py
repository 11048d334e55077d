"""The shapes of messages by category and type, for the document.

The server adds `entities` and more to the data that was sent. Users see no other data of a message
that is deleted, so nothing else is required.
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from hubbub.http.documented import VARIANTS, Variants, documented_as, variant, with_any_fields
from hubbub.rest.messages.wire.data import (
    Anonymous,
    Attachment,
    ClosesAt,
    InteractiveFields,
    Metadata,
    Options,
    Question,
    VotesPerUser,
)
from hubbub.rest.messages.wire.entities import GroupEntity, MemberEntity, MentionEntity, UserEntity
from hubbub.rest.messages.wire.interactive import Card, Form, Scheduler
from hubbub.rest.messages.wire.message import (
    InteractionShape,
    MessageShape,
    PlainMessage,
    PollShape,
    ReactionShape,
    TombstoneEntity,
)
from hubbub.rest.wire.shapes import Json, Shape


class WrappedUser(Shape):
    """A user, and that it is one."""

    entity: UserEntity
    entity_type: Literal["user"]


class WrappedMember(Shape):
    """A member of a group, and that it is a user."""

    entity: MemberEntity
    entity_type: Literal["user"]


class WrappedGroup(Shape):
    """A group, and that it is one."""

    entity: GroupEntity
    entity_type: Literal["group"]


class WrappedMessage(Shape):
    """A message in its present state, and that it is one."""

    entity: Annotated[Json, documented_as(MessageShape, TombstoneEntity, exclusive=False)]
    entity_type: Literal["message"]


class Receiver(Shape):
    """The user or group that a message was sent to."""


VARIANTS[Receiver] = Variants((WrappedUser, WrappedGroup), discriminator="entityType")


class MessageEntities(Shape):
    """The sender and the receiver of a message, as they are now."""

    sender: WrappedUser
    receiver: Receiver


class MemberActionEntities(Shape):
    """Who acted, on which member, and in which group."""

    by: WrappedUser
    on: WrappedMember
    for_: WrappedGroup = field(name="for")


class MessageActionEntities(Shape):
    """Who acted, on which message, and in the conversation with whom."""

    by: WrappedUser
    on: WrappedMessage
    for_: Receiver = field(name="for")


class MentionOfAll(Shape):
    """The mention of everybody, under the key `all`."""

    type: Literal["all"]


Mentions = Annotated[
    dict[str, Annotated[Json, documented_as(MentionEntity, MentionOfAll)]],
    Meta(description="The mentioned users by uid."),
]


Reactions = list[ReactionShape]


@with_any_fields
class ChatMessageData(Shape, kw_only=True):
    """The data of a text or media message, with what the server adds."""

    entities: MessageEntities
    mentions: Mentions | None = None
    reactions: Reactions | None = None
    text: Annotated[str, Meta(description="The text; of a media message, its caption.")] | None = (
        None
    )
    attachments: list[Attachment] | None = None
    metadata: Metadata | None = None


@with_any_fields
class StoredCustomData(Shape, kw_only=True):
    """The data of a custom message, with what the server adds."""

    entities: MessageEntities
    mentions: Mentions | None = None
    reactions: Reactions | None = None
    custom_data: Annotated[Json, Meta(description="As it was sent.")] | None = None
    metadata: Metadata | None = None


class StoredInteractiveData(InteractiveFields, kw_only=True):
    """The data of an interactive message, with what the server adds."""

    entities: MessageEntities
    mentions: Mentions | None = None
    reactions: Reactions | None = None
    interactions: (
        Annotated[
            list[InteractionShape],
            Meta(description="The elements that the acting user has used."),
        ]
        | None
    ) = None


@with_any_fields
class StoredFormData(StoredInteractiveData, kw_only=True):
    """The data of a form, with what the server adds."""

    interactive_data: Form | None = None


@with_any_fields
class StoredCardData(StoredInteractiveData, kw_only=True):
    """The data of a card, with what the server adds."""

    interactive_data: Card | None = None


@with_any_fields
class StoredSchedulerData(StoredInteractiveData, kw_only=True):
    """The data of a scheduler, with what the server adds."""

    interactive_data: Scheduler | None = None


@with_any_fields
class StoredCustomInteractiveData(StoredInteractiveData, kw_only=True):
    """The data of a custom interactive message, with what the server adds."""

    interactive_data: Annotated[Json, Meta(description="As it was sent.")] | None = None


@with_any_fields
class StoredPollData(Shape, kw_only=True):
    """The data of a poll, with what the server adds."""

    entities: MessageEntities
    mentions: Mentions | None = None
    reactions: Reactions | None = None
    question: Question | None = None
    options: Options | None = None
    votes_per_user: VotesPerUser | None = None
    anonymous: Anonymous | None = None
    closes_at: ClosesAt | None = None
    metadata: Metadata | None = None
    poll: Annotated[PollShape, Meta(description="How many have voted, and for what.")] | None = None


class MemberActionData(Shape):
    """What was done to a member of a group."""

    action: Literal["added", "joined", "left", "kicked", "banned", "unbanned", "scopeChanged"]
    entities: MemberActionEntities


class MessageActionData(Shape):
    """What was done to a message."""

    action: Literal["edited", "deleted"]
    entities: MessageActionEntities


Interactive = Literal["interactive"]

ChatMessage = variant(
    MessageShape,
    "ChatMessage",
    "A text or media message.",
    category=Literal["message"],
    type=Literal["text", "image", "file", "audio", "video"],
    data=ChatMessageData,
)
CustomMessage = variant(
    MessageShape,
    "CustomMessage",
    "A message with an object of the app's own.",
    category=Literal["custom"],
    type=Annotated[str, Meta(description="A type of the app's own.")],
    data=StoredCustomData,
)
FormMessage = variant(
    MessageShape,
    "FormMessage",
    "A form that users fill in and submit.",
    category=Interactive,
    type=Literal["form"],
    data=StoredFormData,
)
CardMessage = variant(
    MessageShape,
    "CardMessage",
    "An image with a text and buttons.",
    category=Interactive,
    type=Literal["card"],
    data=StoredCardData,
)
SchedulerMessage = variant(
    MessageShape,
    "SchedulerMessage",
    "A calendar in which users choose an appointment.",
    category=Interactive,
    type=Literal["scheduler"],
    data=StoredSchedulerData,
)
CustomInteractiveMessage = variant(
    MessageShape,
    "CustomInteractiveMessage",
    "An interactive message that the client defines.",
    category=Interactive,
    type=Literal["customInteractive"],
    data=StoredCustomInteractiveData,
)
PollMessage = variant(
    MessageShape,
    "PollMessage",
    "A question with options for which users vote.",
    category=Interactive,
    type=Literal["poll"],
    data=StoredPollData,
)
MemberActionMessage = variant(
    MessageShape,
    "MemberActionMessage",
    "The entry in a conversation that something was done to a member.",
    category=Literal["action"],
    type=Literal["groupMember"],
    data=MemberActionData,
)
MessageActionMessage = variant(
    MessageShape,
    "MessageActionMessage",
    "The entry in a conversation that a message was edited or deleted.",
    category=Literal["action"],
    type=Literal["message"],
    data=MessageActionData,
)


# Two fields tell these apart, `category` and `type`; a discriminator can be only one.
VARIANTS[MessageShape] = Variants(
    (
        ChatMessage,
        CustomMessage,
        FormMessage,
        CardMessage,
        SchedulerMessage,
        CustomInteractiveMessage,
        PollMessage,
        MemberActionMessage,
        MessageActionMessage,
    )
)
VARIANTS[PlainMessage] = Variants((MessageShape,))
