"""The triggers that a webhook can be attached to."""

from collections.abc import Iterator
from dataclasses import dataclass

from hubbub.outbox.registry import Category
from hubbub.records import EVENT_KINDS

BEFORE_MESSAGE = "before_message"
"""Its webhooks are called before a message is stored, and decide on it."""
USER_MENTIONED = "user_mentioned"
"""Occurs with `message_sent`."""
ENGINE_APPROVED = "moderation_engine_approved"
"""Occurs with `message_sent`, if rules of the app have let the message pass."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger, by the name that stands in the body of a delivery."""

    id: str
    category: str
    description: str


_WITHOUT_SOURCE = {
    "group": ("group_member_removed",),
    "call": (
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
    "campaign": (
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


def _list_events(*categories: Category) -> Iterator[Trigger]:
    for kind in EVENT_KINDS.values():
        if kind.trigger in categories:
            yield Trigger(kind.name, kind.trigger, kind.trigger_text)


def _list_all() -> Iterator[Trigger]:
    text = "A message is about to be sent: the webhook may change or refuse it."
    yield Trigger(BEFORE_MESSAGE, "message", text)
    yield from _list_events("message")
    yield Trigger(USER_MENTIONED, "message", "A message that was sent mentions users.")
    yield from _list_events("user", "group", "webhook")
    text = "The rules of the app have let a message pass, which was sent."
    yield Trigger(ENGINE_APPROVED, "moderation", text)
    yield from _list_events("moderation")
    text = "It has no source in Hubbub: it can be attached, but never occurs."
    for category, ids in _WITHOUT_SOURCE.items():
        yield from (Trigger(id_, category, text) for id_ in ids)


TRIGGERS = {trigger.id: trigger for trigger in _list_all()}
"""All triggers by id: events, and others."""
