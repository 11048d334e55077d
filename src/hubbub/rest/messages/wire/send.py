"""The body of a send, and its answer: a message, or an outcome for each of several receivers."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from hubbub.domain.messages.compose import MessageInput
from hubbub.domain.scheduled.schedule import SendTimes
from hubbub.http.documented import VARIANTS, Variants, documented_as, variant
from hubbub.http.errors import Problem, body_of
from hubbub.kernel.errors import BadInput, Refusal
from hubbub.records.messages.model import Beginning, Draft, MessageView, muid_for_receiver
from hubbub.rest.messages.wire.data import (
    SENT_DATA,
    CardMessageData,
    CustomInteractiveMessageData,
    CustomMessageData,
    FormMessageData,
    GrowingMessageData,
    MediaMessageData,
    PollMessageData,
    SchedulerMessageData,
    TextMessageData,
)
from hubbub.rest.messages.wire.message import MessageShape, message_shape
from hubbub.rest.messages.wire.page import render_sent
from hubbub.rest.messages.wire.scheduled import ScheduledShape
from hubbub.rest.wire.enums import ReceiverType, SentCategory
from hubbub.rest.wire.path import parse_message_id
from hubbub.rest.wire.shapes import Shape, ShortText, Tags, Timestamp, normalise_ids

_encode = msgspec.json.Encoder().encode

MOST_RECEIVERS = 100
LONGEST_MUID = 255
Muid = Annotated[str, Meta(min_length=1, max_length=LONGEST_MUID)]
RepeatText = Annotated[str, Meta(max_length=500)]
ZoneText = Annotated[str, Meta(max_length=100)]
AnyMessageId = int | Annotated[str, Meta(max_length=19)]


class MultipleReceivers(Shape):
    """Several receivers of one message, at most 100 in all."""

    uids: Annotated[list[str], Meta(max_length=MOST_RECEIVERS)] = []
    guids: Annotated[list[str], Meta(max_length=MOST_RECEIVERS)] = []

    def receivers(self) -> list[tuple[str, str]]:
        """Return each receiver once, as (receiver type, id).

        Raises:
            BadInput: there are no receivers or too many, or an id is not valid.
        """
        uids = normalise_ids(self.uids, "multipleReceivers.uids")
        guids = normalise_ids(self.guids, "multipleReceivers.guids")
        found = dict.fromkeys(
            [*(("user", uid) for uid in uids), *(("group", guid) for guid in guids)]
        )
        if not 0 < len(found) <= MOST_RECEIVERS:
            raise BadInput.field(
                "multipleReceivers",
                f"There must be 1 to {MOST_RECEIVERS} receivers in all, not {len(found)}.",
            )
        return list(found)


class SentTo(Shape):
    """The outcome of a message to one of several receivers."""

    success: bool
    data: MessageShape | None = None
    error: Problem | None = None


# Without further fields, so that a message is never one.
class SentToMany(Shape, forbid_unknown_fields=True):
    """The outcomes of a message to several receivers, by their ids; it has no `id`."""

    users: dict[str, SentTo] = {}
    groups: dict[str, SentTo] = {}


SENT = (
    "The message; or, if it was sent to several receivers, the outcome for each of them; or, with"
    " `sendAt`, what is kept until it is sent."
)

SentReply = Annotated[
    msgspec.Raw,
    documented_as(
        MessageShape,
        ScheduledShape,
        exclusive=False,
        title="SentReply",
        description="The message; or, with `sendAt`, what is kept until it is sent.",
    ),
]
"""The message, or what is kept of it until it is sent, rendered."""
# Not exclusive for clients: some of them refuse a message that they can also read as the other.
SentMessage = Annotated[
    msgspec.Raw,
    documented_as(
        MessageShape,
        SentToMany,
        ScheduledShape,
        exclusive=False,
        title="SentMessage",
        description=SENT,
    ),
]
"""The message, or the outcome for each of several receivers, or what is kept of it, rendered."""


Data = Annotated[
    Any,
    documented_as(
        *SENT_DATA,
        exclusive=False,
        title="MessageData",
        description="According to the category and the type, at most 10,240 bytes of JSON without "
        "`attachments`; further properties are kept as sent.",
    ),
]


class SendMessageBody(Shape):
    """A message to one receiver, or to several."""

    receiver: Annotated[str | None, Meta(description="A uid or guid.")] = None
    receiver_type: Annotated[str | None, documented_as(ReceiverType)] = None
    category: Annotated[
        str | None,
        documented_as(SentCategory, description="The kind of message; `message` if it is absent."),
    ] = None
    type: Annotated[
        str | None,
        Meta(
            description="Of a message: `text` (the default), `image`, `file`, `audio`, `video`. "
            "Of a custom message: any. Of an interactive one: `form`, `card`, `scheduler`, "
            "`customInteractive`, `poll`."
        ),
    ] = None
    data: Data = None
    tags: Tags | None = None
    muid: Muid | None = None
    quoted_message_id: AnyMessageId | None = None
    multiple_receivers: MultipleReceivers | None = None
    update_conversation: bool | None = None
    send_notification: bool | None = None
    conversation_text: ShortText | None = None
    growing: Annotated[
        bool | None,
        Meta(description="Whether it grows: a text, to which its sender appends until its end."),
    ] = None
    notify: Annotated[
        Literal["finished"] | None,
        Meta(description="Of a message that grows: webhooks are told only at its end."),
    ] = None
    send_at: Annotated[
        Timestamp | None,
        Meta(description="When it is sent, in seconds since 1970; now if it is absent."),
    ] = None
    repeat: Annotated[
        RepeatText | None,
        Meta(
            description="How a bot, or the app, repeats it from `sendAt` on: an RRULE with an end,"
            " such as `FREQ=WEEKLY;BYDAY=MO;COUNT=10`."
        ),
    ] = None
    time_zone: Annotated[
        ZoneText | None,
        Meta(
            description="The IANA name of the time zone in which it is repeated; UTC if it is"
            " absent."
        ),
    ] = None

    def times(self) -> SendTimes | None:
        """Return when it is sent; None if that is now.

        Raises:
            BadInput: it grows, has several receivers, or is repeated without a first time.
        """
        if self.send_at is None:
            if self.repeat is not None or self.time_zone is not None:
                raise BadInput.field("sendAt", "A message with repeat or timeZone needs sendAt.")
            return None
        if self.growing:
            raise BadInput.field("growing", "A message that is sent later can't grow.")
        if self.multiple_receivers is not None:
            raise BadInput.field(
                "multipleReceivers", "A message that is sent later has one receiver."
            )
        return SendTimes(self.send_at, self.repeat, self.time_zone)

    def message_input(self) -> MessageInput:
        """Return the message to its single receiver."""
        return self._input_to(self.receiver, self.receiver_type, self.muid)

    def message_inputs(self) -> list[MessageInput]:
        """Return one message for each of several receivers; each has a muid of its own.

        Raises:
            BadInput: there are no receivers or too many, or `receiver` is given, too.
        """
        several = self.multiple_receivers
        assert several is not None, "there is a single receiver"
        if self.receiver is not None:
            raise BadInput.field("receiver", "Give either receiver or multipleReceivers, not both.")
        if self.growing:
            raise BadInput.field("growing", "A message to several receivers can't grow.")
        return [
            self._input_to(id_, type_, self.muid and muid_for_receiver(self.muid, type_, id_))
            for type_, id_ in several.receivers()
        ]

    def _input_to(
        self, receiver: str | None, receiver_type: str | None, muid: str | None
    ) -> MessageInput:
        quoted = self.quoted_message_id
        return MessageInput(
            receiver=receiver,
            receiver_type=receiver_type,
            category=self.category,
            type=self.type,
            data=self.data,
            tags=self.tags or (),
            muid=muid,
            quoted_id=None if quoted is None else parse_message_id(str(quoted), "quotedMessageId"),
            update_conversation=self.update_conversation,
            send_notification=self.send_notification,
            conversation_text=self.conversation_text,
            growing=self._beginning(),
        )

    def _beginning(self) -> Beginning | None:
        """Return how a message begins that grows.

        Raises:
            BadInput: it does not grow, but has `notify`.
        """
        if self.growing:
            return Beginning(notifies=self.notify is not None)
        if self.notify is not None:
            raise BadInput.field("notify", "Only a message that is growing may have this.")
        return None


class SendReplyBody(SendMessageBody):
    """A reply to send; its receiver is that of the message that it replies to."""


GROWING = ("growing", "notify")
LATER = ("send_at", "repeat", "time_zone")
"""The fields of messages that are sent later, which have one receiver and do not grow."""
GROWS, GROWS_NOT = (
    Annotated[bool, Meta(description=about, extra_json_schema={"const": value})]
    for about, value in (("It grows.", True), ("It does not grow.", False))
)
"""The value by which clients tell a message that grows from a usual one."""
SendMessage = variant(
    SendMessageBody,
    "SendMessage",
    "A message to a user or a group.",
    without=("multiple_receivers", "notify"),
    narrowed={"growing": GROWS_NOT},
    receiver=Annotated[str, Meta(description="A uid or guid.")],
    receiver_type=ReceiverType,
    data=Data,
)
SendMessageToMany = variant(
    SendMessageBody,
    "SendMessageToMany",
    "A message to several users and groups; each gets its own.",
    without=("receiver", "receiver_type", *GROWING, *LATER),
    multiple_receivers=MultipleReceivers,
    data=Data,
)
SendReply = variant(
    SendReplyBody,
    "SendReply",
    "A reply in the thread of a message; its receiver need not be named.",
    without=("multiple_receivers", "notify"),
    narrowed={"growing": GROWS_NOT},
    data=Data,
)
SendGrowingReply = variant(
    SendReplyBody,
    "SendGrowingReply",
    "The beginning of a reply that grows; its receiver need not be named.",
    without=("multiple_receivers", *LATER),
    growing=GROWS,
)


def _kind(
    name: str, about: str, data: Any, *, narrowed: Mapping[str, Any] | None = None, **types: Any
) -> type[msgspec.Struct]:
    """Return the shape of a message of one kind to one receiver, with its own data."""
    return variant(
        SendMessageBody,
        name,
        about,
        without=("multiple_receivers", *GROWING),
        narrowed=narrowed,
        receiver=Annotated[str, Meta(description="A uid or guid.")],
        receiver_type=ReceiverType,
        data=data,
        **types,
    )


_MESSAGE, _CUSTOM, _INTERACTIVE = (
    Annotated[Literal[word], Meta(description="The category.")]
    for word in ("message", "custom", "interactive")
)


def _interactive(name: str, about: str, type_: str, data: Any) -> type[msgspec.Struct]:
    word = Annotated[Literal[type_], Meta(description="The type.")]  # type: ignore[valid-type]
    return _kind(name, about, data, category=_INTERACTIVE, type=word)


KINDS = (
    _kind(
        "SendTextMessage",
        "A text to a user or a group.",
        TextMessageData,
        narrowed={"category": _MESSAGE, "type": Literal["text"], "growing": GROWS_NOT},
    ),
    variant(
        SendMessageBody,
        "SendGrowingMessage",
        "The beginning of a text that grows, to a user or a group.",
        without=("multiple_receivers", *LATER),
        narrowed={"category": _MESSAGE, "type": Literal["text"], "data": GrowingMessageData},
        receiver=Annotated[str, Meta(description="A uid or guid.")],
        receiver_type=ReceiverType,
        growing=GROWS,
    ),
    _kind(
        "SendMediaMessage",
        "Files that have URLs to a user or a group; to upload files, send a form.",
        MediaMessageData,
        narrowed={"category": _MESSAGE},
        type=Annotated[
            Literal["image", "file", "audio", "video"], Meta(description="What the files are.")
        ],
    ),
    _kind(
        "SendCustomMessage",
        "An object of the app's own to a user or a group.",
        CustomMessageData,
        category=_CUSTOM,
        type=Annotated[str, Meta(description="Any word.")],
    ),
    _interactive("SendFormMessage", "A form to a user or a group.", "form", FormMessageData),
    _interactive("SendCardMessage", "A card to a user or a group.", "card", CardMessageData),
    _interactive(
        "SendSchedulerMessage",
        "A calendar to a user or a group.",
        "scheduler",
        SchedulerMessageData,
    ),
    _interactive(
        "SendCustomInteractive",
        "An interactive message that the client defines, to a user or a group.",
        "customInteractive",
        CustomInteractiveMessageData,
    ),
    _interactive("SendPoll", "A poll to a user or a group.", "poll", PollMessageData),
)
"""The kinds of messages to one receiver, each with the data of its type."""
VARIANTS[SendMessageBody] = Variants((*KINDS, SendMessageToMany), form=SendMessage)
VARIANTS[SendReplyBody] = Variants((SendReply, SendGrowingReply), form=SendReply)


def sent_message(app_id: str, view: MessageView, *, is_app: bool) -> msgspec.Raw:
    """Return the answer of a send to one receiver."""
    return msgspec.Raw(render_sent(app_id, view, is_app=is_app))


def sent_to_many(
    drafts: Sequence[Draft], outcomes: Sequence[MessageView | Refusal], *, is_app: bool
) -> msgspec.Raw:
    """Return the answer of a send to several receivers."""
    sent = SentToMany(users={}, groups={})
    for draft, outcome in zip(drafts, outcomes, strict=True):
        bucket = sent.groups if draft.receiver_type == "group" else sent.users
        bucket[draft.receiver] = _sent_to(outcome, is_app=is_app)
    return msgspec.Raw(_encode(sent))


def _sent_to(outcome: MessageView | Refusal, *, is_app: bool) -> SentTo:
    if isinstance(outcome, Refusal):
        return SentTo(success=False, error=body_of(outcome).error)
    return SentTo(success=True, data=message_shape(outcome, with_tags=True, is_app=is_app))
