"""What is kept of the use of interactive messages, and what can be wrong about using one."""

from dataclasses import dataclass

from hubbub.kernel.errors import Conflict, Forbidden, LimitReached

LONGEST_ELEMENT_ID = 255
MOST_ELEMENTS = 1_000
"""So many different elements of one message may somebody use; where any may be named, it counts."""
LARGEST_FORM_DATA = 10_240
GOAL = ""
"""What is no element's id: under it stands that somebody has completed a message's goal."""


class UseNotAllowed(Forbidden):
    """The message can't be used like this, or not by this user."""

    code = "ERR_MESSAGE_ACTION_NOT_ALLOWED"


class NotInteractive(UseNotAllowed):
    """The message has no elements."""

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} is not interactive.")


class NotAForm(UseNotAllowed):
    """The message has nothing to submit."""

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} is no form.")


class SenderMayNotInteract(UseNotAllowed):
    """It is his own message, and does not let him."""

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The user with UID {uid} sent the message with id {message_id} himself.",
            dev_message="Send the message with `data.allowSenderInteraction` true to allow it.",
        )


class SubmissionsNotShown(Forbidden):
    """What others submitted is for the sender of the form, and for the app."""

    code = "ERR_MESSAGE_NO_ACCESS"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The submissions of the message with id {message_id} are not for the user "
            f"with UID {uid}, who did not send it."
        )


class AlreadySubmitted(Conflict):
    """The form may be submitted once by each user, and he has."""

    code = "ERR_ALREADY_SUBMITTED"

    def __init__(self, uid: str, message_id: int) -> None:
        super().__init__(
            f"The user with UID {uid} has submitted the form with message id {message_id} already."
        )


class TooManyElements(LimitReached):
    """Somebody has used as many different elements of a message as he may."""

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"So many different elements of the message with id {message_id} can't be used.",
            details={"interactions": [f"The limit is {MOST_ELEMENTS:,} per message and user."]},
        )


@dataclass(frozen=True, slots=True)
class Mark:
    """That somebody used an element, the first time; `number` is that of the event that told it."""

    message: int
    uid: str
    element_id: str
    number: int
    interacted_at: int


@dataclass(frozen=True, slots=True)
class Submission:
    """What somebody submitted, as JSON text; `number` is that of its event, and its id."""

    message: int
    number: int
    uid: str
    form_data: str
    submitted_at: int
