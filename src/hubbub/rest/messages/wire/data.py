"""The `data` of messages of each category and type, for the document; further fields are kept."""

from typing import Annotated

from msgspec import Meta

from hubbub.http.documented import with_any_fields
from hubbub.records.polls.model import (
    FEWEST_OPTIONS,
    LONGEST_OPTION,
    LONGEST_QUESTION,
    MOST_OPTIONS,
)
from hubbub.rest.messages.wire.interactive import Card, Form, InteractionGoal, Scheduler
from hubbub.rest.wire.shapes import Json, Shape

HttpUrl = Annotated[str, Meta(description="An http or https URL.")]
MimeType = Annotated[str, Meta(description="Its type, such as image/png.")]


@with_any_fields
class Thumbnail(Shape, kw_only=True):
    """A small picture of an uploaded image."""

    url: HttpUrl
    width: int
    height: int


@with_any_fields
class Attachment(Shape, kw_only=True):
    """A file of a message."""

    url: HttpUrl
    name: str | None = None
    mime_type: MimeType | None = None
    extension: str | None = None
    size: Annotated[int | str, Meta(description="In bytes; as a number if it was uploaded.")] | (
        None
    ) = None
    width: int | None = None
    height: int | None = None
    thumbnail: Thumbnail | None = None


Attachments = Annotated[list[Attachment], Meta(min_length=1)]
Text = Annotated[
    str,
    Meta(min_length=1, description="The text. `<@uid:anna>` mentions a user, `<@all>` everybody."),
]
Caption = Annotated[str, Meta(description="A text beside the files.")]
Metadata = Annotated[Json, Meta(description="An object of your own.")]


@with_any_fields
class TextMessageData(Shape, kw_only=True):
    """The data of a message of the type `text`."""

    text: Text
    metadata: Metadata | None = None


@with_any_fields
class GrowingMessageData(Shape, kw_only=True):
    """The data of a message that grows; its text may begin empty."""

    text: Annotated[str, Meta(description="The text that it begins with.")] = ""
    metadata: Metadata | None = None


@with_any_fields
class MediaMessageData(Shape, kw_only=True):
    """The data of a message of the type `image`, `file`, `audio` or `video`."""

    attachments: Attachments
    text: Caption | None = None
    metadata: Metadata | None = None


@with_any_fields
class CustomMessageData(Shape, kw_only=True):
    """The data of a message of the category `custom`."""

    custom_data: Annotated[Json, Meta(description="An object of your own.")]
    text: Annotated[str, Meta(description="A text that searches find.")] | None = None
    metadata: Metadata | None = None


class InteractiveFields(Shape, kw_only=True):
    """The fields around the content of an interactive message."""

    interaction_goal: InteractionGoal | None = None
    allow_sender_interaction: (
        Annotated[bool, Meta(description="Whether the sender may use it, too.")] | None
    ) = None
    metadata: Metadata | None = None


@with_any_fields
class FormMessageData(InteractiveFields, kw_only=True):
    """The data of a message of the category `interactive` and the type `form`."""

    interactive_data: Form


@with_any_fields
class CardMessageData(InteractiveFields, kw_only=True):
    """The data of a message of the category `interactive` and the type `card`."""

    interactive_data: Card


@with_any_fields
class SchedulerMessageData(InteractiveFields, kw_only=True):
    """The data of a message of the category `interactive` and the type `scheduler`."""

    interactive_data: Scheduler


@with_any_fields
class CustomInteractiveMessageData(InteractiveFields, kw_only=True):
    """The data of a message of the category `interactive` and the type `customInteractive`."""

    interactive_data: Annotated[Json, Meta(description="An object of your own.")]


Question = Annotated[str, Meta(min_length=1, max_length=LONGEST_QUESTION)]
Options = Annotated[
    list[Annotated[str, Meta(min_length=1, max_length=LONGEST_OPTION)]],
    Meta(
        min_length=FEWEST_OPTIONS,
        max_length=MOST_OPTIONS,
        description="What can be voted for; an option is named by its place, from 0.",
    ),
]
VotesPerUser = Annotated[
    int,
    Meta(ge=1, le=MOST_OPTIONS, description="For how many options a user may vote; 1 if absent."),
]
Anonymous = Annotated[bool, Meta(description="Whether nobody is told who has voted.")]
ClosesAt = Annotated[int, Meta(description="When it closes by itself, in seconds since 1970.")]


@with_any_fields
class PollMessageData(Shape, kw_only=True):
    """The data of a message of the category `interactive` and the type `poll`."""

    question: Question
    options: Options
    votes_per_user: VotesPerUser | None = None
    anonymous: Anonymous | None = None
    closes_at: ClosesAt | None = None
    metadata: Metadata | None = None


SENT_DATA = (
    TextMessageData,
    MediaMessageData,
    CustomMessageData,
    FormMessageData,
    CardMessageData,
    SchedulerMessageData,
    CustomInteractiveMessageData,
    PollMessageData,
)
"""The data of messages that clients send."""
