"""Events of interactive messages.

They name no elements and no submitted values. Readers look these up in their tables, so that
deleted content cannot be found in the log.
"""

from typing import TypedDict

import msgspec

from hubbub.outbox.audience import Audience, EventPlaces, Keys, pair_keys
from hubbub.outbox.registry import event


class InteractionEventFields(TypedDict):
    """The fields that all interaction events share, as keyword arguments."""

    message: int
    conversation: int
    uid: str
    at: int


class InteractionEvent(msgspec.Struct, frozen=True, kw_only=True):
    """User `uid` did something with an interactive message."""

    message: int
    conversation: int
    uid: str
    at: int


def _keys(event: InteractionEvent, places: EventPlaces) -> Keys:
    return pair_keys(event.uid, places.senders.get(event.message, event.uid))


def _unknown(event: InteractionEvent) -> tuple[int, int]:
    return 0, event.message


USER_AND_SENDER = Audience("that user, and the sender", _keys, _unknown, tells_only=True)


@event(
    "message_interacted",
    "A user used elements of an interactive message.",
    told=USER_AND_SENDER,
    actor="uid",
)
class MessageInteracted(InteractionEvent, frozen=True, kw_only=True):
    """The user used elements of the message that they had not used before."""


@event(
    "interaction_goal_completed",
    "A user completed the goal of an interactive message.",
    told=USER_AND_SENDER,
    actor="uid",
)
class InteractionGoalCompleted(InteractionEvent, frozen=True, kw_only=True):
    """The user has now completed the interaction goal of the message."""


@event(
    "interactive_form_submitted",
    "A user submitted a form.",
    told=Audience("that user, and the sender of the form", _keys, _unknown, tells_only=True),
    actor="uid",
)
class InteractiveFormSubmitted(InteractionEvent, frozen=True, kw_only=True):
    """The user submitted the form; `id` is the submission's."""

    id: int
