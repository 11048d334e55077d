"""The triggers that a webhook can be attached to."""

from dataclasses import dataclass

MESSAGE, USER, GROUP, WEBHOOK = "message", "user", "group", "webhook"
CALL, MODERATION, CAMPAIGN = "call", "moderation", "campaign"

BEFORE_MESSAGE = "before_message"
"""Its webhooks are called before a message is stored, and decide on it."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger, by the name that stands in the body of a delivery."""

    id: str
    category: str
    description: str


_DESCRIPTIONS = {
    MESSAGE: {
        BEFORE_MESSAGE: "A message is about to be sent: the webhook may change or refuse it.",
        "message_sent": "A message was sent.",
        "message_edited": "A message was edited.",
        "message_deleted": "A message was deleted.",
        "message_delivery_receipt": "Messages were delivered to a user, or to all of a group.",
        "message_read_receipt": "Messages were read by a user, or by all of a group.",
        "message_reaction_added": "A user reacted to a message.",
        "message_reaction_removed": "A user removed a reaction from a message.",
        "user_mentioned": "A message that was sent mentions users.",
    },
    USER: {
        "user_blocked": "A user blocked other users.",
        "user_unblocked": "A user no longer blocks other users.",
        "user_connection_status_changed": "A user connected or disconnected.",
    },
    GROUP: {
        "group_created": "A group was created.",
        "group_updated": "A group was changed.",
        "group_deleted": "A group was deleted.",
        "group_owner_transferred": "A group has a new owner.",
        "group_member_added": "Users were added to a group.",
        "group_member_joined": "A user joined a group.",
        "group_member_left": "A user left a group.",
        "group_member_kicked": "A member was removed from a group.",
        "group_member_banned": "A user was banned from a group.",
        "group_member_unbanned": "The ban of a user from a group was lifted.",
        "group_member_scope_changed": "A member of a group has another scope.",
    },
    WEBHOOK: {
        "webhook_paused": "Deliveries to another webhook of the app are paused: all have failed.",
    },
}
_WITHOUT_SOURCE = {
    GROUP: ("group_member_removed",),
    CALL: (
        "call_initiated",
        "call_started",
        "call_participant_joined",
        "call_participant_left",
        "call_ended",
        "call_busy",
        "call_cancelled",
        "call_rejected",
        "call_unanswered",
        "meeting_started",
        "meeting_participant_joined",
        "meeting_participant_left",
        "meeting_ended",
        "recording_generated",
        "transcription_generated",
    ),
    MODERATION: (
        "moderation_engine_approved",
        "moderation_engine_blocked",
        "moderation_engine_failed",
        "moderation_manual_approved",
    ),
    CAMPAIGN: (
        "after_campaign_completed",
        "after_campaign_failed",
        "after_notification_created",
        "after_feed_item_sent",
        "after_feed_item_delivered",
        "after_feed_item_read",
        "after_feed_item_interacted",
        "after_push_notification_sent",
        "after_push_notification_delivered",
        "after_push_notification_clicked",
    ),
}

TRIGGERS = {
    id_: Trigger(id_, category, description)
    for category, descriptions in _DESCRIPTIONS.items()
    for id_, description in descriptions.items()
} | {
    id_: Trigger(id_, category, "It has no source in Hubbub: it can be attached, but never occurs.")
    for category, ids in _WITHOUT_SOURCE.items()
    for id_ in ids
}
"""All triggers by id."""
