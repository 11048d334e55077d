"""Interactions with messages, submissions of forms, and the refusals about them."""

from dataclasses import dataclass

from hubbub.kernel.errors import Conflict, Forbidden, LimitReached

LONGEST_ELEMENT_ID = 255
MOST_ELEMENTS = 1_000
"""The limit of different elements of a message per user, for messages that accept any element."""
LARGEST_FORM_DATA = 10_240
GOAL = ""
"""Stored as an element id when a user completes the goal of a message; no element has it."""


class UseNotAllowed(Forbidden):
    """The message does not allow this interaction, or not by this user."""

    code = "ERR_MESSAGE_ACTION_NOT_ALLOWED"


class NotInteractive(UseNotAllowed):
    """The message has no interactive elements."""

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} is not interactive.")


class NotAForm(UseNotAllowed):
    """The message has no form to submit."""

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} is not a form.")


class SenderMayNotInteract(UseNotAllowed):
    """The message does not allow interactions of its sender."""

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The user with UID {uid} is the sender of the message with id {message_id}.",
            dev_message="Send the message with `data.allowSenderInteraction` true to allow it.",
        )


class SubmissionsNotShown(Forbidden):
    """Only the sender of the form, and the app, may list its submissions."""

    code = "ERR_MESSAGE_NO_ACCESS"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The user with UID {uid} may not list the submissions of the message with id "
            f"{message_id}, which another user sent."
        )


class AlreadySubmitted(Conflict):
    """The form may be submitted once per user, and the user has submitted it."""

    code = "ERR_ALREADY_SUBMITTED"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The user with UID {uid} has submitted the form with message id {message_id} already."
        )


class TooManyElements(LimitReached):
    """The user has reached the limit of different elements of the message."""

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The user has used too many different elements of the message with id {message_id}.",
            details={"interactions": [f"The limit is {MOST_ELEMENTS:,} per message and user."]},
        )


@dataclass(frozen=True, slots=True)
class UsedElement:
    """The first use of an element by a user; `number` is the number of its event."""

    message: int
    uid: str
    element_id: str
    number: int
    interacted_at: int


@dataclass(frozen=True, slots=True)
class Submission:
    """A submission, as JSON text; `number` is its id, and the number of its event."""

    message: int
    number: int
    uid: str
    form_data: str
    submitted_at: int
