"""What happens to interactive messages.

Which elements were used and what was submitted is looked up when it is told: what was deleted is
found nowhere in the log.
"""

from typing import ClassVar, TypedDict

import msgspec


class Facts(TypedDict):
    """The fields that all of them have."""

    message: int
    conversation: int
    uid: str
    at: int


class UseEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What all of them tell: who did something with which message."""

    message: int
    conversation: int
    uid: str
    at: int


class MessageInteracted(UseEvent, frozen=True, kw_only=True):
    """He used elements of it that he had not used before."""

    event_name: ClassVar[str] = "message_interacted"


class InteractionGoalCompleted(UseEvent, frozen=True, kw_only=True):
    """With that he has done what the message is there for."""

    event_name: ClassVar[str] = "interaction_goal_completed"


class InteractiveFormSubmitted(UseEvent, frozen=True, kw_only=True):
    """He submitted the form; `id` is the submission's own."""

    event_name: ClassVar[str] = "interactive_form_submitted"
    id: int
