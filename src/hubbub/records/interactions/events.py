"""Events of interactive messages.

They name no elements and no submitted values. Readers look these up in their tables, so that
deleted content cannot be found in the log.
"""

from typing import TypedDict

import msgspec

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


@event("message_interacted")
class MessageInteracted(InteractionEvent, frozen=True, kw_only=True):
    """The user used elements of the message that they had not used before."""


@event("interaction_goal_completed")
class InteractionGoalCompleted(InteractionEvent, frozen=True, kw_only=True):
    """The user has now completed the interaction goal of the message."""


@event("interactive_form_submitted")
class InteractiveFormSubmitted(InteractionEvent, frozen=True, kw_only=True):
    """The user submitted the form; `id` is the submission's."""

    id: int
