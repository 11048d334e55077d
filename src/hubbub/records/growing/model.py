"""The rows of messages that grow, and the refusals about them."""

import msgspec

from hubbub.kernel.errors import BadInput, Conflict, LimitReached

DONE, FAILED = "done", "failed"
"""How a message that grew has ended."""


class SequenceGap(Conflict):
    """Appends before this one are missing; `details.sequence` is the next one."""

    code = "ERR_SEQUENCE_GAP"

    def __init__(self, given: int, following: int) -> None:
        super().__init__(
            f"The append {given} leaves a gap; the next one is {following}.",
            details={"sequence": [str(following)]},
            dev_message=(
                "Send the appends from details.sequence on again. Some of the last second are lost"
                " when a node is killed."
            ),
        )
        self.following = following


class MessageNotGrowing(Conflict):
    """The message does not grow, or has ended."""

    code = "ERR_MESSAGE_NOT_GROWING"

    def __init__(self, message_id: int) -> None:
        super().__init__(f"The message with id {message_id} does not grow, or has ended.")


class NoLongerHeld(Conflict):
    """The message has ended, or another node has taken it; nothing was changed."""

    def __init__(self) -> None:
        super().__init__("The message is not held by this node.")


class TooManyGrowing(LimitReached):
    """As many messages of the user grow as the app allows."""

    def __init__(self, uid: str, most: int) -> None:
        super().__init__(
            f"{most:,} messages of the user with UID {uid} grow already.",
            details={"growing": [f"The limit is {most:,} growing messages per user."]},
            dev_message="Finish one of them first.",
        )


class MessageGrowing(Conflict):
    """The message still grows, so it can't be edited."""

    code = "ERR_MESSAGE_GROWING"

    def __init__(self, message_id: int) -> None:
        super().__init__(
            f"The message with id {message_id} still grows, so it can't be edited.",
            dev_message="Append to it, or finish it first.",
        )


def text_too_long(field: str, size: int, limit: int) -> BadInput:
    """Return the refusal of a text that would be longer than the app allows."""
    return BadInput.field(
        field,
        f"The text would have {size:,} bytes of UTF-8; limits.growingText is {limit:,}.",
        code="ERR_INVALID_MESSAGE_DATA",
    )


class GrowingState(msgspec.Struct, frozen=True):
    """A row of `growing_messages` without its text."""

    message: int
    event: int
    owner: str
    sequence: int
    notifies: bool
    is_of_user: bool
    stopped_by: str | None
    touched_at: int


class GrowingRow(GrowingState, frozen=True):
    """A row of `growing_messages`; `text` is JSON."""

    sender: str
    text: str


class TextSoFar(msgspec.Struct, frozen=True):
    """What there is of a text, and the last append in it."""

    sequence: int
    text: str
