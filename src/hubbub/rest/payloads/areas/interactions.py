"""The payloads of events about the use of interactive messages.

They show what a user did and entered: they are for that user and the sender of the message.
"""

from hubbub.records.conversations.model import conversation_id
from hubbub.records.interactions.events import (
    InteractionEvent,
    InteractionGoalCompleted,
    InteractiveFormSubmitted,
    MessageInteracted,
)
from hubbub.records.interactions.store import find_submissions, list_uses
from hubbub.records.messages.model import Message
from hubbub.rest.messages.wire.interactions import SubmissionShape, submission_shape
from hubbub.rest.messages.wire.message import InteractionShape
from hubbub.rest.payloads.areas.people import PayloadUser, payload_user
from hubbub.rest.payloads.facts import Facts, Named, Payload
from hubbub.rest.payloads.samples import BEN, BEN_ON_MESSAGE, NOW, PAIR
from hubbub.rest.wire.shapes import Json, Shape


class InteractionPayload(Shape, kw_only=True):
    """The data of `message_interacted` and `interaction_goal_completed`: `by` used the message.

    `interactions` has all elements of the message that they have used so far.
    """

    message_id: str
    conversation_id: str
    by: PayloadUser
    interactions: list[InteractionShape]


class SubmissionPayload(Shape, kw_only=True):
    """The data of `interactive_form_submitted`: `by` submitted the form."""

    conversation_id: str
    by: PayloadUser
    submission: SubmissionShape


def used(facts: Facts, event: InteractionEvent) -> InteractionPayload | None:
    """Return the data of an interaction; None if the message is deleted."""
    message = _message(facts, event)
    if message is None:
        return None
    uses = facts.found(list_uses).get((event.message, event.uid), ())
    return InteractionPayload(
        message_id=str(message.id),
        conversation_id=conversation_id(message.key),
        by=payload_user(facts.user(event.uid)),
        interactions=[InteractionShape(each.element_id, each.interacted_at) for each in uses],
    )


def submitted(facts: Facts, event: InteractiveFormSubmitted) -> SubmissionPayload | None:
    """Return the data of a submission; None if the message, or its user, is deleted."""
    message, submission = _message(facts, event), facts.found(find_submissions).get(event.id)
    if message is None or submission is None:
        return None
    return SubmissionPayload(
        conversation_id=conversation_id(message.key),
        by=payload_user(facts.user(event.uid)),
        submission=submission_shape(submission),
    )


def _message(facts: Facts, event: InteractionEvent) -> Message | None:
    """Return the message; None if it is deleted: then nobody sees its elements."""
    message = facts.messages.get(event.message)
    return message if message is not None and message.deleted_at is None else None


def _add_use(named: Named, event: InteractionEvent) -> None:
    named.messages.add(event.message)
    named.uids.add(event.uid)
    named.others[list_uses].add((event.message, event.uid))


def _add_submission(named: Named, event: InteractiveFormSubmitted) -> None:
    named.messages.add(event.message)
    named.uids.add(event.uid)
    named.others[find_submissions].add((event.message, event.id))


PAYLOADS = (
    Payload((MessageInteracted, InteractionGoalCompleted), InteractionPayload, used, _add_use),
    Payload((InteractiveFormSubmitted,), SubmissionPayload, submitted, _add_submission),
)

_USE: Json = {
    **BEN_ON_MESSAGE,
    "interactions": [{"elementId": "map", "interactedAt": NOW + 20}],
}
SAMPLES: dict[str, Json] = {
    "message_interacted": _USE,
    "interaction_goal_completed": _USE,
    "interactive_form_submitted": {
        "conversationId": PAIR,
        "by": BEN,
        "submission": {
            "id": "7",
            "messageId": "101",
            "uid": "ben",
            "formData": {"name": "Ben Osei"},
            "submittedAt": NOW + 20,
        },
    },
}
