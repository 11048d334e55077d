"""The events that sessions are told: what each says, and who hears it."""

from collections.abc import Mapping
from dataclasses import dataclass

from hubbub.realtime.protocol.own_methods import TYPING_SECONDS

ALL = "all participants: both users, or the members of the group"
MEMBERS = "the members of the group, and the user whom it is about"
OWN = "all sessions of the user who did it"

SENDER = (
    "the sender of the messages, in one-to-one conversations;"
    " the other user's sessions hear `conversation_{}` instead"
)


@dataclass(frozen=True, slots=True)
class About:
    """What an event says, and who hears it."""

    text: str
    told: str
    is_always_stored: bool = True
    """False if it has no id and no cursor when it is about a group."""


STORED: Mapping[str, About] = {
    "message_sent": About("A message was sent.", ALL),
    "message_edited": About("A message was edited; `message` is the action message.", ALL),
    "message_deleted": About("A message was deleted; `message` is the action message.", ALL),
    "messages_deleted": About("Messages were deleted permanently, without action messages.", ALL),
    "message_delivery_receipt": About(
        "All messages up to `body.messageId` were delivered.", SENDER.format("delivered")
    ),
    "message_read_receipt": About(
        "All messages up to `body.messageId` were read.", SENDER.format("read")
    ),
    "message_reaction_added": About("A user reacted to a message.", ALL),
    "message_reaction_removed": About("A user removed a reaction.", ALL),
    "message_pinned": About("A message was pinned.", ALL),
    "message_unpinned": About("A message is no longer pinned.", ALL),
    "message_interacted": About(
        "A user used elements of an interactive message.", "that user, and the sender"
    ),
    "interaction_goal_completed": About(
        "A user completed the goal of an interactive message.", "that user, and the sender"
    ),
    "interactive_form_submitted": About(
        "A user submitted a form.", "that user, and the sender of the form"
    ),
    "conversation_read": About("The user has read up to a message.", OWN, is_always_stored=False),
    "conversation_delivered": About(
        "The user has received up to a message.", OWN, is_always_stored=False
    ),
    "conversation_unread": About("The user marked messages as unread.", OWN),
    "conversation_reset": About("The user removed the conversation from their list.", OWN),
    "conversation_updated": About(
        "The tags or the pin of the conversation changed.",
        "the user whose tags they are; of a pin of the app, all participants",
    ),
    "conversation_deleted": About("The conversation was deleted for all participants.", ALL),
    "user_blocked": About("The user blocked others.", "that user"),
    "user_unblocked": About("The user no longer blocks others.", "that user"),
    "group_created": About("A group was created.", "its owner"),
    "group_updated": About("A group was changed.", "the members of the group"),
    "group_deleted": About("A group was deleted.", "the members of the group"),
    "group_owner_transferred": About("A group has a new owner.", "the members of the group"),
    "group_member_added": About("A user was added to a group.", MEMBERS),
    "group_member_joined": About("A user joined a group.", MEMBERS),
    "group_member_left": About("A user left a group.", MEMBERS),
    "group_member_kicked": About("A member was removed from a group.", MEMBERS),
    "group_member_banned": About("A user was banned from a group.", MEMBERS),
    "group_member_unbanned": About("The ban of a user from a group was lifted.", MEMBERS),
    "group_member_scope_changed": About("A member of a group has another scope.", MEMBERS),
}
"""The events of the log that sessions are told; the others are for webhooks alone."""
_RECEIVERS = "the sessions of the receiver: a user, or the other members of a group"
EPHEMERAL: Mapping[str, About] = {
    "typing_started": About(
        f"A user types. It ends with `typing_ended`, after {TYPING_SECONDS:g} s at the latest.",
        _RECEIVERS,
    ),
    "typing_ended": About("A user types no more.", _RECEIVERS),
    "transient_message": About("A message that is stored nowhere.", _RECEIVERS),
    "receipts_advanced": About(
        "All members of a group have the messages up to these ids, or have read them.",
        "the members of the group, at most once a second",
    ),
    "user_presence_changed": About(
        "A user is connected now, or is not any more.",
        "sessions that have subscribed to it, by `presence` of `connect` or `subscribe_presence`",
    ),
}
"""The events that are not stored."""
